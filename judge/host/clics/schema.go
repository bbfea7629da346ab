package clics

import "slices"

// jsonTypes maps properties that are not strings to their JSON types.
var jsonTypes = map[string]string{
	"penalty": "boolean", "solved": "boolean", "entry_point_required": "boolean", "hidden": "boolean", "current": "boolean",
	"ordinal": "integer", "test_data_count": "integer",
	"rank": "integer", "num_solved": "integer", "num_judged": "integer", "num_pending": "integer",
	"width": "integer", "height": "integer", "memory_limit": "integer", "output_limit": "integer", "code_limit": "integer",
	"time_limit": "number", "max_score": "number", "score": "number", "run_time": "number", "max_run_time": "number",
	"location":   "object",
	"extensions": "array", "group_ids": "array", "team_ids": "array", "to_team_ids": "array", "to_group_ids": "array", "tag": "array",
}

// Schema returns a JSON schema for the objects of a type that is valid for every role. So the schema does not
// require properties that some role does not see.
func Schema(t Type, v Version) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range propertyTable[t] {
		p := &propertyTable[t][i]
		if !p.inVersion(v) {
			continue
		}
		properties[p.name] = p.schema(t, v)
		if p.name == "id" || p.always && p.audience == everyone {
			required = append(required, p.name)
		}
	}
	slices.Sort(required)
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func (p *property) schema(t Type, v Version) map[string]any {
	one := map[string]any{"type": "string"}
	minutes := p.name == "penalty_time" || p.name == "total_time" || p.name == "time" && (t == score || t == cell)
	switch kind := jsonTypes[p.name]; {
	case p.nested == State || p.nested == score:
		one = Schema(p.nested, v)
	case p.nested != "":
		one = map[string]any{"type": "array", "items": Schema(p.nested, v)}
	case minutes && v == V2023:
		one = map[string]any{"type": "integer"}
	case kind == "array":
		one = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	case kind != "":
		one = map[string]any{"type": kind}
	}
	if p.always || p.given {
		return map[string]any{"anyOf": []any{one, map[string]any{"type": "null"}}}
	}
	return one
}
