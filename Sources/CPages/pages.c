// SPDX-License-Identifier: GPL-3.0-or-later
#include "CPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

const char *report_page_css(void) {
    static const char text[] = {
#embed "Report/page.css" suffix(, 0)
    };
    return text;
}

const char *report_trials_css(void) {
    static const char text[] = {
#embed "Report/trials.css" suffix(, 0)
    };
    return text;
}

const char *report_charts_js(void) {
    static const char text[] = {
#embed "Report/charts.js" suffix(, 0)
    };
    return text;
}

const char *report_copy_js(void) {
    static const char text[] = {
#embed "Report/copy.js" suffix(, 0)
    };
    return text;
}

const char *report_drilldown_js(void) {
    static const char text[] = {
#embed "Report/drilldown.js" suffix(, 0)
    };
    return text;
}

const char *report_spectrogram_js(void) {
    static const char text[] = {
#embed "Report/spectrogram.js" suffix(, 0)
    };
    return text;
}

const char *report_tables_js(void) {
    static const char text[] = {
#embed "Report/tables.js" suffix(, 0)
    };
    return text;
}

const char *report_trials_js(void) {
    static const char text[] = {
#embed "Report/trials.js" suffix(, 0)
    };
    return text;
}

const char *report_cells_mustache(void) {
    static const char text[] = {
#embed "Report/cells.mustache" suffix(, 0)
    };
    return text;
}

const char *report_changes_mustache(void) {
    static const char text[] = {
#embed "Report/changes.mustache" suffix(, 0)
    };
    return text;
}

const char *report_charts_mustache(void) {
    static const char text[] = {
#embed "Report/charts.mustache" suffix(, 0)
    };
    return text;
}

const char *report_folds_mustache(void) {
    static const char text[] = {
#embed "Report/folds.mustache" suffix(, 0)
    };
    return text;
}

const char *report_group_mustache(void) {
    static const char text[] = {
#embed "Report/group.mustache" suffix(, 0)
    };
    return text;
}

const char *report_header_mustache(void) {
    static const char text[] = {
#embed "Report/header.mustache" suffix(, 0)
    };
    return text;
}

const char *report_heads_mustache(void) {
    static const char text[] = {
#embed "Report/heads.mustache" suffix(, 0)
    };
    return text;
}

const char *report_overview_mustache(void) {
    static const char text[] = {
#embed "Report/overview.mustache" suffix(, 0)
    };
    return text;
}

const char *report_page_mustache(void) {
    static const char text[] = {
#embed "Report/page.mustache" suffix(, 0)
    };
    return text;
}

const char *report_provenance_mustache(void) {
    static const char text[] = {
#embed "Report/provenance.mustache" suffix(, 0)
    };
    return text;
}

const char *report_rows_mustache(void) {
    static const char text[] = {
#embed "Report/rows.mustache" suffix(, 0)
    };
    return text;
}

const char *report_section_mustache(void) {
    static const char text[] = {
#embed "Report/section.mustache" suffix(, 0)
    };
    return text;
}

const char *report_table_mustache(void) {
    static const char text[] = {
#embed "Report/table.mustache" suffix(, 0)
    };
    return text;
}

const char *report_tiles_mustache(void) {
    static const char text[] = {
#embed "Report/tiles.mustache" suffix(, 0)
    };
    return text;
}

const char *report_trials_mustache(void) {
    static const char text[] = {
#embed "Report/trials.mustache" suffix(, 0)
    };
    return text;
}

const char *server_page_html(void) {
    static const char text[] = {
#embed "Server/page.html" suffix(, 0)
    };
    return text;
}

const char *server_page_js(void) {
    static const char text[] = {
#embed "Server/page.js" suffix(, 0)
    };
    return text;
}

const char *server_openapi_yaml(void) {
    static const char text[] = {
#embed "../CatalogServer/CatalogServer.docc/openapi.yaml" suffix(, 0)
    };
    return text;
}
