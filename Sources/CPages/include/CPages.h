// SPDX-License-Identifier: GPL-3.0-or-later
// The files of pages as text: templates, scripts and styles.
//
// C embeds a file in no time. SwiftPM's embedded resources become array literals, which take seconds to compile.

#pragma once

const char *_Nonnull report_page_css(void);
const char *_Nonnull report_trials_css(void);
const char *_Nonnull report_charts_js(void);
const char *_Nonnull report_copy_js(void);
const char *_Nonnull report_drilldown_js(void);
const char *_Nonnull report_spectrogram_js(void);
const char *_Nonnull report_tables_js(void);
const char *_Nonnull report_trials_js(void);
const char *_Nonnull report_cells_mustache(void);
const char *_Nonnull report_changes_mustache(void);
const char *_Nonnull report_charts_mustache(void);
const char *_Nonnull report_folds_mustache(void);
const char *_Nonnull report_group_mustache(void);
const char *_Nonnull report_header_mustache(void);
const char *_Nonnull report_heads_mustache(void);
const char *_Nonnull report_overview_mustache(void);
const char *_Nonnull report_page_mustache(void);
const char *_Nonnull report_provenance_mustache(void);
const char *_Nonnull report_rows_mustache(void);
const char *_Nonnull report_section_mustache(void);
const char *_Nonnull report_table_mustache(void);
const char *_Nonnull report_tiles_mustache(void);
const char *_Nonnull report_trials_mustache(void);

const char *_Nonnull server_page_html(void);
const char *_Nonnull server_page_js(void);
const char *_Nonnull server_openapi_yaml(void);
