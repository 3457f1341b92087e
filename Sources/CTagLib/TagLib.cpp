#include "CTagLib.h"

#include <taglib/attachedpictureframe.h>
#include <taglib/fileref.h>
#include <taglib/id3v2framefactory.h>
#include <taglib/id3v2tag.h>
#include <taglib/mpegfile.h>
#include <taglib/tfilestream.h>
#include <taglib/tpropertymap.h>
#include <memory>
#include <unistd.h>

void taglib_read(int descriptor, void (*found)(void *, const char *, const char *), void *context)
{
    // The stream closes what it was given.
    TagLib::FileStream stream(dup(descriptor), true);
    if (!stream.isOpen())
        return;
    TagLib::FileRef known(&stream, false);
    TagLib::File *file = known.file();
    std::unique_ptr<TagLib::File> other;
    if (known.isNull()) {
        // A tag may stand before any kind of file.
        stream.seek(0);
        other.reset(new TagLib::MPEG::File(&stream, TagLib::ID3v2::FrameFactory::instance(), false));
        file = other.get();
    }
    for (const auto &property : file->properties())
        for (const auto &value : property.second)
            found(context, property.first.toCString(true), value.toCString(true));
    auto mpeg = dynamic_cast<TagLib::MPEG::File *>(file);
    if (!mpeg || !mpeg->hasID3v2Tag())
        return;
    for (const auto frame : mpeg->ID3v2Tag()->frameList("APIC")) {
        auto picture = dynamic_cast<TagLib::ID3v2::AttachedPictureFrame *>(frame);
        if (picture && picture->mimeType() == "-->")
            found(context, "-->", TagLib::String(picture->picture()).toCString(true));
    }
}
