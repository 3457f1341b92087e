#ifndef EARSHOT_TAGLIB_H
#define EARSHOT_TAGLIB_H

#ifdef __cplusplus
extern "C" {
#endif

/// Calls `found` for each value of the tags of a file, with TagLib's name of the property, such as "TITLE".
///
/// "-->" is the address of a picture that is not in the file. The file is read from the beginning and stays open.
void taglib_read(int descriptor, void (*found)(void *context, const char *name, const char *value), void *context);

#ifdef __cplusplus
}
#endif

#endif
