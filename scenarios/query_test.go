package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// offering is the race with one operation in place of its get.
func offering(operation string) string {
	return strings.Replace(race, "{verb: get, weight: 3}", operation, 1)
}

func TestQueriesAndTransactionsAreReadAndWritten(t *testing.T) {
	query := scenarios.OperationSpec{Name: "query", Verb: entity.Query, Weight: 1, Group: "GET"}
	batch := scenarios.OperationSpec{Name: "batch", Verb: entity.Batch, Weight: 1, Group: "PUT", Entities: 100}
	like := func(spec scenarios.OperationSpec, alter func(*scenarios.OperationSpec)) scenarios.OperationSpec {
		alter(&spec)
		return spec
	}
	for _, tt := range []struct {
		name, text string
		want       scenarios.OperationSpec
	}{
		{"a point query", "{verb: query, class: point, select: [Age]}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Select = scenarios.ClassPoint, []string{"Age"}
		})},
		{"rows, said so", "{verb: query, class: rows}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Rows = scenarios.ClassRows, 100
		})},
		{"rows from a token on", "{verb: query, rows: 7, from: from.Tllk.MQ, pages: 2}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Rows, o.From.Token, o.Pages = scenarios.ClassRows, 7, "from.Tllk.MQ", 2
		})},
		{"a partition scan with a filter", "{verb: query, class: partition-scan, where: 'Age gt {age}', top: 50}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Where, o.Top = scenarios.ClassPartitionScan, "Age gt {age}", 50
		})},
		{"a partition range of two", "{verb: query, class: partition-range}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Partitions = scenarios.ClassPartitionRange, 2
		})},
		{"a partition range of more", "{verb: query, class: partition-range, partitions: 10}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Partitions = scenarios.ClassPartitionRange, 10
		})},
		{"a table scan for an exact RowKey", `{verb: query, class: table-scan, where: "RowKey eq '{bib}__{age}'"}`, like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Where = scenarios.ClassTableScan, "RowKey eq '{bib}__{age}'"
		})},
		{"alternatives of RowKeys scan the partition", `{verb: query, class: partition-scan, where: "RowKey eq '1' or RowKey eq '2'"}`, like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Where = scenarios.ClassPartitionScan, "RowKey eq '1' or RowKey eq '2'"
		})},
		{"a transaction of replaces", "{verb: batch, change: replace, entities: 1}", like(batch, func(o *scenarios.OperationSpec) {
			o.Change, o.Entities = entity.Replace, 1
		})},
		{"a transaction of deletes, over the bytes that no entity has", "{verb: batch, change: delete}", like(batch, func(o *scenarios.OperationSpec) {
			o.Change = entity.Delete
		})},
		{"a transaction of merges", "{verb: batch, change: merge, properties: [{name: A, value: x}]}", like(batch, func(o *scenarios.OperationSpec) {
			o.Change, o.Properties = entity.Merge, []scenarios.PropertySpec{{Name: "A", Type: "String", Value: "x"}}
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, offering(tt.text))
			if diff := cmp.Diff(tt.want, s.Phases[1].Traffic.Operations[0]); diff != "" {
				t.Errorf("the operation differs (-want +got):\n%s", diff)
			}
			again := parsed(t, string(s.Text()))
			if diff := cmp.Diff(s.Phases, again.Phases); diff != "" {
				t.Errorf("Parse(Text()) differs (-want +got):\n%s", diff)
			}
			if faults := s.Validate(); faults != nil {
				t.Errorf("Validate() = %v; want none", faults)
			}
		})
	}
}

func TestFaultsOfQueriesAndTransactions(t *testing.T) {
	const at = "28:"
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a class that does not exist", "{verb: query, class: scan}", []string{`32: unknown class "scan"; expected point, rows, partition-scan, partition-range or table-scan`}},
		{"a mistyped class", "{verb: query, class: tabel-scan}", []string{`32: unknown class "tabel-scan"; did you mean "table-scan"?`}},
		{"a change that no transaction has", "{verb: batch, change: get}", []string{`33: unknown change "get"; expected insert, insert-or-replace, insert-or-merge, replace, merge or delete`}},
		{"what belongs to another verb", "{verb: get, class: point, partitions: 2, where: A eq 1, select: [Age], pages: 1, from: from.., change: delete}", []string{
			`30: class belongs to query, and this is a get; expected none`,
			`49: partitions belongs to query, and this is a get; expected none`,
			`59: where belongs to query, and this is a get; expected none`,
			`75: select belongs to query, and this is a get; expected none`,
			`89: pages belongs to query, and this is a get; expected none`,
			`98: from belongs to query, and this is a get; expected none`,
			`114: change belongs to batch, and this is a get; expected none`,
		}},
		{"what belongs to another class", "{verb: query, class: point, rows: 1, top: 1, where: A eq 1, pages: 1, from: from.., partitions: 2}", []string{
			`45: rows belongs to class rows, and this is of class point; expected none`,
			`53: top belongs to the classes rows, partition-scan, partition-range and table-scan, and this is of class point; expected none`,
			`63: where belongs to the classes partition-scan, partition-range and table-scan, and this is of class point; expected none`,
			`78: pages belongs to the classes rows, partition-scan, partition-range and table-scan, and this is of class point; expected none`,
			`87: from belongs to the classes rows, partition-scan, partition-range and table-scan, and this is of class point; expected none`,
			`107: partitions belongs to class partition-range, and this is of class point; expected none`,
		}},
		{"rows with a filter", "{verb: query, where: Age gt 3}", []string{`32: where belongs to the classes partition-scan, partition-range and table-scan, and this is of class rows; expected none`}},
		{"no page", "{verb: query, pages: 0}", []string{`32: pages is 0; expected a whole number from 1 to 1000000`}},
		{"a range of one partition", "{verb: query, class: partition-range, partitions: 1}", []string{`61: partitions is 1; expected a whole number from 2 to 10000`}},
		{"a token that is none", "{verb: query, from: cA==}", []string{`31: from is cA==; expected the text of a continuation token, such as from.TllD.MDAx, {saved: NAME} or {file: PATH}`}},
		{"no token", `{verb: query, from: ""}`, []string{`31: from is ""; expected the text of a continuation token, such as from.TllD.MDAx, {saved: NAME} or {file: PATH}`}},
		{"nothing selected", "{verb: query, select: []}", []string{`33: select has 0 items; expected 1 to 252 names of properties`}},
		{"a property that no entity has", "{verb: query, select: [Agee, Age, Age]}", []string{
			`34: unknown property "Agee"; did you mean "Age"?`,
			`45: property "Age" is selected twice; expected once`,
		}},
		{"a filter that is none", "{verb: query, class: partition-scan, where: Age >> 3}", []string{
			`55: where: the character '>', which no filter has outside of a string at character 5 of the $filter`}},
		{"a function", `{verb: query, class: table-scan, where: "startswith(Notes, 'a')"}`, []string{
			`51: where: the function "startswith", which the table service does not have, at character 1 of the $filter`}},
		{"a filter with an unknown attribute", "{verb: query, class: table-scan, where: 'Age gt {aeg}'}", []string{`59: unknown attribute "aeg"; did you mean "age"?`}},
		{"a filter whose brace is never closed", "{verb: query, class: table-scan, where: 'Age gt {age'}", []string{
			`59: '{' is never closed; expected an attribute in braces, such as {event}, or '{{' for the character itself`}},
		{"a value that makes it no filter", "{verb: query, class: partition-scan, where: 'Club eq {event}'}", []string{
			`55: where can become "Club eq NYC": expected a constant, for the table service compares no two properties, at character 9 of the $filter`}},
		{"a filter that makes rows of a scan", `{verb: query, class: partition-scan, where: "RowKey ge '3'"}`, []string{
			`55: where narrows what is read to a row range scan; expected a filter on properties, or one that leaves a partition scan`}},
		{"a filter that makes a point of it", `{verb: query, class: partition-scan, where: "RowKey eq '{bib}'"}`, []string{
			`55: where can become "RowKey eq '1'", which narrows what is read to a point; expected a filter on properties, or one that leaves a partition scan`}},
		{"a filter that names the partition of a table scan", `{verb: query, class: table-scan, where: "PartitionKey eq 'NYC' and Age gt 3"}`, []string{
			`51: where narrows what is read to a partition scan; expected a filter on properties, or one that leaves a table scan`}},
		{"a filter that nothing meets", `{verb: query, class: table-scan, where: "PartitionKey lt ''"}`, []string{
			`51: where narrows what is read to nothing; expected a filter on properties, or one that leaves a table scan`}},
		{"a transaction of merges of nothing", "{verb: batch, change: merge}", []string{`11: a batch has no properties; expected those that it writes`}},
		{"properties of a transaction that replaces", "{verb: batch, change: replace, properties: []}", []string{
			`54: properties belongs to merge and insert-or-merge, and this is a batch; expected none`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := make([]string, len(tt.want))
			for i, line := range tt.want {
				want[i] = at + line
			}
			broken{tt.name, "{verb: get, weight: 3}", tt.text, want}.run(t)
		})
	}
}

// Too many values to try are refused rather than left untried.
func TestAFilterOfTooManyTexts(t *testing.T) {
	text := strings.NewReplacer("{uniform: [18, 79]}", "{uniform: [1, 60]}\n  b: {uniform: [1, 60]}\n  c: {uniform: [1, 3]}",
		"{verb: get, weight: 3}", "{verb: query, class: partition-scan, where: 'A eq {age} and B eq {b} and C eq {c}'}").Replace(race)
	_, err := scenarios.Parse("race.yaml", []byte(text))
	if want := "race.yaml:30:55: its attributes have more than 10000 combinations of values; expected fewer"; err == nil || err.Error() != want {
		t.Errorf("Parse = %v; want %s", err, want)
	}
}

// Filters that would take seconds to try are refused, whichever of them is the one
// too many.
func TestFiltersOfTooLongTexts(t *testing.T) {
	where := "A eq {age} and B eq {b}" + strings.Repeat(" and B eq {b}", 40)
	one := "{verb: query, class: partition-scan, where: '" + where + "'}"
	text := strings.NewReplacer("{uniform: [18, 79]}", "{uniform: [1, 60]}\n  b: {uniform: [1, 60]}",
		"{verb: get, weight: 3}", one+"\n        - "+strings.Replace(one, "verb", "name: second, verb", 1)+
			"\n        - "+strings.Replace(one, "verb", "name: third, verb", 1)).Replace(race)
	_, err := scenarios.Parse("race.yaml", []byte(text))
	want := "race.yaml:31:68: what the filters come to with all values of their attributes is more than 4 MiB; expected fewer values, or shorter filters"
	if err == nil || err.Error() != want {
		t.Errorf("Parse = %v; want %s", err, want)
	}
}

// A quote in a value stays within the text of the filter.
func TestAFilterTakesTheValuesOfAnEntity(t *testing.T) {
	where, err := keys.ParseTemplate("Name eq '{name}' and Age gt {age}")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"name": "O'Neill", "age": "40"}
	got := new(scenarios.OperationSpec).Wanted(where, func(name string) string { return values[name] })
	if want := "Name eq 'O''Neill' and Age gt 40"; got != want {
		t.Errorf("Wanted(%s) = %s; want %s", where, got, want)
	}
	for _, row := range []struct{ name, within, where, want string }{
		{"both", "PartitionKey eq 'p'", "A eq 1 or B eq 2", "PartitionKey eq 'p' and (A eq 1 or B eq 2)"},
		{"the range alone", "PartitionKey eq 'p'", "", "PartitionKey eq 'p'"},
		{"the filter alone", "", "A eq 1", "A eq 1"},
		{"neither", "", "", ""},
	} {
		got := scenarios.Narrow(row.within, row.where)
		if _, code, detail := filter.Parse(got); got != row.want || code != entity.OK {
			t.Errorf("%s: Narrow(%q, %q) = %q (%s %s); want %q", row.name, row.within, row.where, got, code, detail, row.want)
		}
	}
}
