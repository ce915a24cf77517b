package gateway

import "strconv"

// appendAnthropicList appends the list of models as Anthropic's API has it, all
// on one page.
func appendAnthropicList(buf []byte, models []*model) []byte {
	buf = append(buf, `{"data":[`...)
	for i, m := range models {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendAnthropicModel(buf, m)
	}
	buf = append(buf, `],"has_more":false,"first_id":`...)
	buf = appendJSON(buf, models[0].ID) // a listener offers at least one
	buf = append(buf, `,"last_id":`...)
	buf = appendJSON(buf, models[len(models)-1].ID)
	return append(buf, "}\n"...)
}

func appendAnthropicModel(buf []byte, m *model) []byte {
	buf = append(buf, `{"type":"model","id":`...)
	buf = appendJSON(buf, m.ID)
	buf = append(buf, `,"display_name":`...)
	buf = appendJSON(buf, m.ID)
	// Nobody knows when these models were made; Anthropic's API then says the epoch.
	buf = append(buf, `,"created_at":"1970-01-01T00:00:00Z","max_input_tokens":`...)
	buf = strconv.AppendInt(buf, m.ContextWindow, 10)
	return append(buf, '}')
}
