// SPDX-License-Identifier: GPL-3.0-or-later
#include "CPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// A function that returns the file named between PAGE and END. A macro cannot have `#embed` in itself.
#define PAGE(name) const char *name(void) { static const char text[] = {
#define END }; return text; }

PAGE(report_page_css)
#embed "Report/page.css" suffix(, 0)
END
PAGE(report_trials_css)
#embed "Report/trials.css" suffix(, 0)
END
PAGE(report_charts_js)
#embed "Report/charts.js" suffix(, 0)
END
PAGE(report_copy_js)
#embed "Report/copy.js" suffix(, 0)
END
PAGE(report_drilldown_js)
#embed "Report/drilldown.js" suffix(, 0)
END
PAGE(report_spectrogram_js)
#embed "Report/spectrogram.js" suffix(, 0)
END
PAGE(report_tables_js)
#embed "Report/tables.js" suffix(, 0)
END
PAGE(report_trials_js)
#embed "Report/trials.js" suffix(, 0)
END
PAGE(report_cells_mustache)
#embed "Report/cells.mustache" suffix(, 0)
END
PAGE(report_changes_mustache)
#embed "Report/changes.mustache" suffix(, 0)
END
PAGE(report_charts_mustache)
#embed "Report/charts.mustache" suffix(, 0)
END
PAGE(report_folds_mustache)
#embed "Report/folds.mustache" suffix(, 0)
END
PAGE(report_group_mustache)
#embed "Report/group.mustache" suffix(, 0)
END
PAGE(report_header_mustache)
#embed "Report/header.mustache" suffix(, 0)
END
PAGE(report_heads_mustache)
#embed "Report/heads.mustache" suffix(, 0)
END
PAGE(report_overview_mustache)
#embed "Report/overview.mustache" suffix(, 0)
END
PAGE(report_page_mustache)
#embed "Report/page.mustache" suffix(, 0)
END
PAGE(report_provenance_mustache)
#embed "Report/provenance.mustache" suffix(, 0)
END
PAGE(report_rows_mustache)
#embed "Report/rows.mustache" suffix(, 0)
END
PAGE(report_section_mustache)
#embed "Report/section.mustache" suffix(, 0)
END
PAGE(report_table_mustache)
#embed "Report/table.mustache" suffix(, 0)
END
PAGE(report_tiles_mustache)
#embed "Report/tiles.mustache" suffix(, 0)
END
PAGE(report_trials_mustache)
#embed "Report/trials.mustache" suffix(, 0)
END
PAGE(server_page_html)
#embed "Server/page.html" suffix(, 0)
END
PAGE(server_page_js)
#embed "Server/page.js" suffix(, 0)
END
PAGE(server_openapi_yaml)
#embed "../CatalogServer/CatalogServer.docc/openapi.yaml" suffix(, 0)
END
