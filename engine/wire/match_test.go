package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

func TestParseMatch(t *testing.T) {
	const version entity.Ticks = 636396960326680946
	nothing := entity.MatchExactly(-1)
	for _, row := range []struct {
		name, header string
		present      bool
		want         entity.Match
		code         entity.Code
	}{
		{"no header is no condition", "", false, entity.Match{}, entity.OK},
		{"a star is any version", "*", true, entity.MatchAny, entity.OK},
		{"a tag is its version", version.ETag(), true, entity.MatchExactly(version), entity.OK},
		{"a tag with its colons bare too", `W/"datetime'2017-08-30T13:20:32.6680946Z'"`, true, entity.MatchExactly(version), entity.OK},
		{"a small w marks a weak tag, too", "w" + version.ETag()[1:], true, entity.MatchExactly(version), entity.OK},
		{"a tag of another service matches nothing", `W/"some-other"`, true, nothing, entity.OK},
		{"a date that never was matches nothing", `W/"datetime'2017-02-30T00%3A00%3A00Z'"`, true, nothing, entity.OK},
		{"an empty header is none of these", "", true, entity.Match{}, entity.InvalidInput},
		{"a strong tag is not one the service gave out", `"datetime'2017-08-30T13%3A20%3A32Z'"`, true, entity.Match{}, entity.InvalidInput},
		{"a tag needs quotes", `W/datetime`, true, entity.Match{}, entity.InvalidInput},
		{"two tags are one too many", version.ETag() + "," + version.ETag(), true, entity.Match{}, entity.InvalidInput},
		{"two stars too", "*,*", true, entity.Match{}, entity.InvalidInput},
	} {
		got, code, detail := wire.ParseMatch(row.header, row.present)
		if got != row.want || code != row.code || (code == entity.OK) != (detail == "") {
			t.Errorf("%s: ParseMatch(%q, %v) = %v, %q, %q; want %v, %q",
				row.name, row.header, row.present, got, code, detail, row.want, row.code)
		}
	}
	for _, stored := range []entity.Ticks{0, 1, version} {
		assert.Falsef(t, nothing.Accepts(stored), "the condition of a foreign tag accepts %d; want no version", stored)
	}
}
