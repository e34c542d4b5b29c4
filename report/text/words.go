package text

import (
	"encoding/json"
	"io"
)

// JSON writes a value as an indented object and a line's end, HTML as it is. Its error is
// the writer's, or that of a value that is no JSON.
func JSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
