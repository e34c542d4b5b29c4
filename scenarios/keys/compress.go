package keys

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"

	"loadgen/engine/entity"
)

// compress replaces texts by their gzip, as Binary, where that is shorter in JSON, which writes
// Binary in base64. Shorter texts stay, so that queries can ask for them.
func compress(properties []entity.Property) {
	const minText = 256
	for i := range properties {
		v := &properties[i].Value
		if v.Type() != entity.TypeString || len(v.Text()) < minText {
			continue
		}
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // a valid level
		_, _ = w.Write([]byte(v.Text()))                     // a buffer takes all
		_ = w.Close()
		if base64.StdEncoding.EncodedLen(packed.Len()) < len(v.Text()) {
			*v = entity.Binary(packed.Bytes())
		}
	}
}
