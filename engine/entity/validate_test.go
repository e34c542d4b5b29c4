package entity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
)

func TestValidateKey(t *testing.T) {
	key := func(s string) entity.Key { return entity.Key{Row: s} }
	for _, row := range []struct {
		name string
		key  entity.Key
		want entity.Code
	}{
		{"both parts may be empty", entity.Key{}, entity.OK},
		{"characters of any script are legal", entity.Key{Partition: "Zürich 마라톤", Row: "\U0001F3C3"}, entity.OK},
		{"512 characters are legal", key(strings.Repeat("é", 512)), entity.OK},
		{"513 are too many", key(strings.Repeat("é", 513)), entity.KeyValueTooLarge},
		{"256 supplementary characters are 512 units", key(strings.Repeat("\U0001F3C3", 256)), entity.OK},
		{"and one unit more is too many", key(strings.Repeat("\U0001F3C3", 256) + "a"), entity.KeyValueTooLarge},
		{"the PartitionKey is held to it too", entity.Key{Partition: strings.Repeat("a", 513)}, entity.KeyValueTooLarge},
		{"a slash is forbidden", key("10/11"), entity.OutOfRangeInput},
		{"a backslash is forbidden", key(`10\11`), entity.OutOfRangeInput},
		{"a number sign is forbidden", key("#1"), entity.OutOfRangeInput},
		{"a question mark is forbidden", entity.Key{Partition: "who?"}, entity.OutOfRangeInput},
		{"NUL is forbidden", key("\x00"), entity.OutOfRangeInput},
		{"the last C0 control is forbidden", key("a\x1F"), entity.OutOfRangeInput},
		{"DEL is forbidden", key("\x7F"), entity.OutOfRangeInput},
		{"the first C1 control is forbidden", key("\u0080"), entity.OutOfRangeInput},
		{"the last C1 control is forbidden", key("\u009F"), entity.OutOfRangeInput},
		{"the no-break space beside it is legal", key("\u00A0"), entity.OK},
		{"a byte that is not UTF-8 is no text", key("a\xFF"), entity.InvalidInput},
	} {
		got, detail := entity.ValidateKey(row.key)
		checkCode(t, row.name, got, row.want, detail)
	}
}

func TestValidateTableName(t *testing.T) {
	for _, row := range []struct {
		name, table string
		want        entity.Code
	}{
		{"three characters are enough", "abc", entity.OK},
		{"two are too few", "ab", entity.OutOfRangeInput},
		{"63 are not too many", strings.Repeat("a", 63), entity.OK},
		{"64 are too many", strings.Repeat("a", 64), entity.OutOfRangeInput},
		{"a digit may not come first", "1abc", entity.InvalidResourceName},
		{"an underscore is forbidden", "a_bc", entity.InvalidResourceName},
		{"a letter beyond ASCII is forbidden", "läufe", entity.InvalidResourceName},
		{"a colon is forbidden, though it follows the digits", "ab:", entity.InvalidResourceName},
		{"tables is reserved in any case", "TaBles", entity.InvalidInput},
	} {
		got, detail := entity.ValidateTableName(row.table)
		checkCode(t, row.name, got, row.want, detail)
	}
}

// checkCode fails the test unless the code is the wanted one, and a fault, and only a
// fault, has one short line of detail.
func checkCode(t *testing.T, name string, got, want entity.Code, detail string) {
	t.Helper()
	assert.Truef(t, got == want && (got == entity.OK) == (detail == "") && !strings.ContainsAny(detail, "\r\n") && len(detail) <= 400,
		"%s: %q, %q; want %q, and one short line for a fault alone", name, got, detail, want)
}

func named(name string, v entity.Value) []entity.Property {
	return []entity.Property{{Name: name, Value: v}}
}

func numbered(n int, v entity.Value) []entity.Property {
	properties := make([]entity.Property, n)
	for i := range properties {
		properties[i] = entity.Property{Name: fmt.Sprintf("P%03d", i), Value: v}
	}
	return properties
}

func TestValidateChangeProperties(t *testing.T) {
	one := entity.Int32(1)
	twice := numbered(252, one)
	twice[251].Name = "P007"
	// 15 strings of 64 KiB and what the rule adds, then one that fills up.
	full := numbered(16, entity.String(strings.Repeat("s", entity.MaxStringUnits)))
	rest := entity.MaxEntityBytes - entity.Size(entity.Key{}, full[:15]) - entity.Size(entity.Key{}, named("P015", entity.String(""))) + 4
	fits := append(full[:15:15], entity.Property{Name: "P015", Value: entity.String(strings.Repeat("s", rest/2))})
	over := append(full[:15:15], entity.Property{Name: "P015", Value: entity.String(strings.Repeat("s", rest/2+1))})
	for _, row := range []struct {
		name       string
		properties []entity.Property
		want       entity.Code
	}{
		{"252 properties are legal", numbered(252, one), entity.OK},
		{"253 are too many", numbered(253, one), entity.TooManyProperties},
		{"a name may begin with an underscore", named("_a", one), entity.OK},
		{"a name may be in any script", named("Größe한\u0300\u203F2", one), entity.OK},
		{"a name may not be empty", named("", one), entity.PropertyNameInvalid},
		{"a name may not begin with a digit", named("1a", one), entity.PropertyNameInvalid},
		{"a name may not begin with a combining mark", named("\u0300a", one), entity.PropertyNameInvalid},
		{"a name may not hold a dash", named("a-b", one), entity.PropertyNameInvalid},
		{"a name must be UTF-8", named("a\xFF", one), entity.PropertyNameInvalid},
		{"a name may not begin with xml", named("xmlAge", one), entity.PropertyNameInvalid},
		{"a name of 255 characters is legal", named(strings.Repeat("n", 255), one), entity.OK},
		{"a name of 256 is too long", named(strings.Repeat("n", 256), one), entity.PropertyNameTooLong},
		{"a key is not given again as a property", named("RowKey", one), entity.DuplicateProperties},
		{"names differ by case", []entity.Property{{"Age", one}, {"age", one}}, entity.OK},
		{"a name comes once among few", []entity.Property{{"Age", one}, {"Sex", one}, {"Age", one}}, entity.DuplicateProperties},
		{"a name comes once among many", twice, entity.DuplicateProperties},
		{"a value has a type", named("a", entity.Value{}), entity.InvalidInput},
		{"a string may have 32,768 units", named("a", entity.String(strings.Repeat("é", 32768))), entity.OK},
		{"a string of one more is too large", named("a", entity.String(strings.Repeat("é", 32769))), entity.PropertyValueTooLarge},
		{"a string must be UTF-8", named("a", entity.String("\xC3")), entity.InvalidInput},
		{"a binary may have 65,536 bytes", named("a", entity.Binary(make([]byte, 65536))), entity.OK},
		{"a binary of one more is too large", named("a", entity.Binary(make([]byte, 65537))), entity.PropertyValueTooLarge},
		{"a DateTime may be in 1601", named("a", entity.DateTime(entity.EarliestDateTime)), entity.OK},
		{"a DateTime may not be in 1600", named("a", entity.DateTime(entity.EarliestDateTime-1)), entity.OutOfRangeInput},
		{"a DateTime may not be in 10000", named("a", entity.DateTime(entity.LatestDateTime+1)), entity.OutOfRangeInput},
		{"an entity may have 1 MiB", fits, entity.OK},
		{"an entity of 2 bytes more is too large", over, entity.EntityTooLarge},
	} {
		c := entity.Change{Verb: entity.Insert, Properties: row.properties}
		got, detail := c.Validate()
		checkCode(t, row.name, got, row.want, detail)
		// What a merge leaves is held to number and size alone.
		if row.want == entity.TooManyProperties || row.want == entity.EntityTooLarge || row.want == entity.OK {
			code, _ := entity.Pack(nil, 1, row.properties).Validate(entity.Key{})
			assert.Equalf(t, row.want, code, "%s: Packed.Validate()", row.name)
		}
	}
	assert.Equal(t, entity.MaxEntityBytes, entity.Size(entity.Key{}, fits), "Size of the entity that just fits")
}

func TestValidateChangeConditions(t *testing.T) {
	any, exact := entity.MatchAny, entity.MatchExactly(7)
	for _, row := range []struct {
		name  string
		verb  entity.Verb
		match entity.Match
		want  entity.Code
	}{
		{"an insert has no condition", entity.Insert, entity.Match{}, entity.OK},
		{"an insert on a condition makes no sense", entity.Insert, any, entity.InvalidInput},
		{"an upsert has no condition", entity.InsertOrReplace, entity.Match{}, entity.OK},
		{"an upsert on a condition would be a replace", entity.InsertOrReplace, exact, entity.InvalidInput},
		{"a replace takes any version", entity.Replace, any, entity.OK},
		{"a delete takes one version", entity.Delete, exact, entity.OK},
		{"a replace needs a condition", entity.Replace, entity.Match{}, entity.MissingRequiredHeader},
		{"a delete needs a condition", entity.Delete, entity.Match{}, entity.MissingRequiredHeader},
		{"a get is no change", entity.Get, entity.Match{}, entity.InvalidInput},
		{"nor is a verb that does not exist", 200, entity.Match{}, entity.InvalidInput},
	} {
		c := entity.Change{Verb: row.verb, Match: row.match}
		got, detail := c.Validate()
		checkCode(t, row.name, got, row.want, detail)
	}
}

func TestDeleteIgnoresProperties(t *testing.T) {
	c := entity.Change{Verb: entity.Delete, Match: entity.MatchAny, Properties: numbered(300, entity.Value{})}
	if got, detail := c.Validate(); got != entity.OK {
		t.Errorf("Validate() of a delete with faulty properties = %q, %s; want success", got, detail)
	}
}

// inserts returns n inserts into one partition, in ascending order of rows.
func inserts(n int) []entity.Change {
	changes := make([]entity.Change, n)
	for i := range changes {
		changes[i] = entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "Full", Row: fmt.Sprintf("%03d", i)}}
	}
	return changes
}

func TestValidateBatch(t *testing.T) {
	with := func(n int, alter func([]entity.Change)) []entity.Change {
		changes := inserts(n)
		alter(changes)
		return changes
	}
	for _, row := range []struct {
		name    string
		changes []entity.Change
		want    entity.Code
		index   int
	}{
		{"an empty batch is none", nil, entity.InvalidInput, 0},
		{"a hundred and one are too many", inserts(101), entity.InvalidInput, 99},
		{"a fault in a change is reported with its index",
			with(5, func(c []entity.Change) { c[3].Key.Row = "a/b" }), entity.OutOfRangeInput, 3},
		{"the first fault counts",
			with(5, func(c []entity.Change) { c[4].Key.Row = "a/b"; c[2].Verb = entity.Get }), entity.InvalidInput, 2},
		{"all go to one partition",
			with(5, func(c []entity.Change) { c[2].Key.Partition = "Half" }), entity.DifferentPartitions, 2},
		{"a bad PartitionKey is found in any change",
			with(5, func(c []entity.Change) { c[2].Key.Partition = "a/b" }), entity.OutOfRangeInput, 2},
		{"a row twice in a run is reported at the second",
			with(5, func(c []entity.Change) { c[3].Key.Row = c[2].Key.Row }), entity.InvalidDuplicateRow, 3},
		{"a row twice far apart is reported at the second",
			with(100, func(c []entity.Change) { c[99].Key.Row = c[0].Key.Row }), entity.InvalidDuplicateRow, 99},
		{"rows in falling order are no fault",
			with(100, func(c []entity.Change) {
				for i := range c {
					c[i].Key.Row = fmt.Sprintf("%03d", 100-i)
				}
			}), entity.OK, 0},
		{"a row twice after a fall is found",
			with(4, func(c []entity.Change) { c[1].Key.Row = ""; c[3].Key.Row = c[0].Key.Row }), entity.InvalidDuplicateRow, 3},
		{"a row that first comes after a fall is remembered too",
			with(5, func(c []entity.Change) { c[1].Key.Row = ""; c[4].Key.Row = c[2].Key.Row }), entity.InvalidDuplicateRow, 4},
	} {
		got, index, detail := entity.ValidateBatch(row.changes)
		checkCode(t, row.name, got, row.want, detail)
		assert.Equalf(t, row.index, index, "%s: index of the fault", row.name)
	}
}

func TestVerbsReadAsTheyAreWritten(t *testing.T) {
	for v := entity.Insert; v <= entity.DeleteTable; v++ {
		got, ok := entity.ParseVerb(v.String())
		assert.Truef(t, got == v && ok, "ParseVerb(%s) = %v, %v; want %v", v, got, ok, v)
		assert.Equalf(t, v < entity.Get, v.IsChange(), "%v.IsChange()", v)
	}
	for _, v := range []entity.Verb{0, entity.DeleteTable + 1} {
		_, ok := entity.ParseVerb(v.String())
		assert.Falsef(t, ok || v.IsChange(), "Verb(%d) is parsed, or a change", v)
	}
}

func TestMatchAccepts(t *testing.T) {
	for _, row := range []struct {
		name    string
		match   entity.Match
		version entity.Ticks
		want    bool
	}{
		{"no condition accepts all", entity.Match{}, 5, true},
		{"a star accepts all", entity.MatchAny, 5, true},
		{"a version accepts itself", entity.MatchExactly(5), 5, true},
		{"a version accepts no other", entity.MatchExactly(5), 6, false},
		{"the version zero is a condition", entity.MatchExactly(0), 6, false},
	} {
		assert.Equalf(t, row.want, row.match.Accepts(row.version), "%s: Accepts(%d)", row.name, row.version)
	}
	assert.True(t, !entity.MatchExactly(0).IsNone() && !entity.MatchAny.IsNone() && (entity.Match{}).IsNone(),
		"IsNone is wrong; want it of the zero Match alone")
}

func TestStatusOfCodes(t *testing.T) {
	for code, want := range map[entity.Code]int{entity.OK: 200, entity.TableNotFound: 404, entity.EntityAlreadyExists: 409,
		entity.ConditionNotSatisfied: 412, entity.OperationTimedOut: 500, entity.ServerBusy: 503, "SomethingNew": 400} {
		assert.Equalf(t, want, code.Status(), "Code(%q).Status()", code)
	}
}
