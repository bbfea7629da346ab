package feed_test

import "assay/judge/host/clics"

// An amendment changes a JSON schema of ccs-specs that differs from the text of its version. Add is a property to
// add to the schema at Path, Drop is a keyword to remove, and Optional is a property that is no longer required.
// Text quotes the text of the version.
type amendment struct {
	Version             clics.Version
	File                string
	Path                []string // from the root of the schema
	Add, Drop, Optional string
	Schema              string
	Text                string
}

// Common parts of amendments.
const (
	id    = `{"$ref": "common.json#/identifier"}`
	ids   = `{"$ref": "common.json#/identifiers"}`
	kind  = `{"$ref": "common.json#/judgementtypeid"}`
	entry = "For C and C++ no entry point is required and it must therefore be null. (A property with null may be left out.)"
	score = "time: only if num_solved is above 0 (An object without time is valid by both branches of the schema.)"
)

var rowScore = []string{"properties", "rows", "items", "properties", "score"}

// overlay is merged into the schemas before objects are checked. If a schema already contains an amendment, the
// test fails, and the amendment must be removed.
var overlay = []amendment{
	{Version: clics.V2026, File: "judgement-type.json", Add: "simplified_judgement_type_id", Schema: kind,
		Text: "simplified_judgement_type_id | ID ? | Identifier of this type's simplified judgement type"},
	{Version: clics.V2026, File: "judgement.json", Add: "simplified_judgement_type_id", Schema: kind,
		Text: "simplified_judgement_type_id | ID ? | The simplified verdict of this judgement"},
	{Version: clics.V2026, File: "submission.json", Add: "account_id", Schema: id,
		Text: "account_id | ID ? | Identifier of the account that made the submission."},
	{Version: clics.V2026, File: "submission.json", Optional: "team_id", Text: "team_id | ID ?"},
	{Version: clics.V2026, File: "submission.json", Drop: "oneOf", Text: entry},
	{Version: clics.V2023, File: "submission.json", Drop: "oneOf", Text: entry},
	{Version: clics.V2026, File: "clarification.json", Add: "to_team_ids", Schema: ids, Text: "to_team_ids | array of ID ?"},
	{Version: clics.V2026, File: "clarification.json", Add: "to_group_ids", Schema: ids, Text: "to_group_ids | array of ID ?"},
	{Version: clics.V2026, File: "contest.json", Add: "main_scoreboard_group_id", Schema: id,
		Text: "main_scoreboard_group_id | ID ? | Identifier of the group that represents the main scoreboard."},
	{Version: clics.V2026, File: "problem.json", Add: "attachments", Schema: `{"$ref": "common.json#/filerefs"}`,
		Text: "attachments | array of FILE ?"},
	{Version: clics.V2026, File: "common.json", Path: []string{"fileref"}, Add: "tag",
		Schema: `{"type": "array", "items": {"type": "string"}}`,
		Text:   "tag | array of string | Intended usage hints (e.g. light, dark for images)."},
	{Version: clics.V2023, File: "contest.json", Add: "scoreboard_thaw_time", Schema: `{"$ref": "common.json#/abstimeornull"}`,
		Text: "scoreboard_thaw_time | TIME ? | The scheduled thaw time of the contest"},
	{Version: clics.V2026, File: "scoreboard.json", Path: rowScore, Drop: "then", Text: score},
}
