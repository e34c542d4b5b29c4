package scenarios_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// race is a small scenario that the tests break, one thing at a time.
const race = `name: race
seed: 7
workers: 8
model: {profile: documented, partition_target: 500}
attributes:
  event:
    list: [NYC, Berlin]
    weights: [3, 1]
  bib: {sequence: 1}
  age: {uniform: [18, 79]}
entity:
  size: 600
  filler: Notes
  properties:
    - {name: Age, type: Int32, value: "{age}"}
design:
  partition_key: "{event}"
  row_key: "{bib}__{age}"
phases:
  - name: load
    load: {entities: 200, transaction: 100, lanes: 4}
  - name: peak
    peak:
      partition_key: NYC
      rates: [10, 20.5]
      each: 2s
      operations:
        - {verb: get, weight: 3}
        - {verb: merge, properties: [{name: Age, type: Int32, value: "{age}"}]}
`

// broken is the race with one text replaced by another, and all faults that
// then show, without the file's name.
type broken struct {
	name     string
	old, new string
	want     []string
}

func (b broken) run(t *testing.T) {
	if !strings.Contains(race, b.old) {
		t.Fatalf("the race does not hold %q", b.old)
	}
	s, err := scenarios.Parse("race.yaml", []byte(strings.Replace(race, b.old, b.new, 1)))
	var got []string
	for _, line := range strings.Split(faultLines(t, err), "\n") {
		got = append(got, strings.TrimPrefix(line, "race.yaml:"))
	}
	if !slices.Equal(got, b.want) {
		t.Errorf("Parse(… %q …) =\n%s\nwant\n%s", b.new, strings.Join(got, "\n"), strings.Join(b.want, "\n"))
	}
	if err != nil && s != nil {
		t.Errorf("Parse(… %q …) = a scenario beside an error; want none", b.new)
	}
}

// faultLines returns the text of an error that must be faults.
func faultLines(t *testing.T, err error) string {
	t.Helper()
	var faults fields.Faults
	if !errors.As(err, &faults) || !errors.Is(err, fields.ErrInvalid) {
		t.Fatalf("the error is %v; want Faults that wrap ErrInvalid", err)
	}
	return err.Error()
}

func TestFaultsOfFields(t *testing.T) {
	for _, tt := range []broken{
		{"a mistyped field is answered with the name", "workers", "wokers", []string{`3:1: unknown field "wokers"; did you mean "workers"?`}},
		{"a mistyped field deep inside has its own line and column", "weight: 3", "wieght: 3", []string{`28:23: unknown field "wieght"; did you mean "weight"?`}},
		{"a field that is like no other is answered with those there are", "  size: 600", "  volume: 600", []string{`12:3: unknown field "volume"; expected size, filler or properties`}},
		{"a field that stands twice is named with its first line", "workers: 8", "seed: 8", []string{`3:1: field "seed" is given twice, first on line 2; expected once`}},
		{"an attribute that stands twice", "  bib: {sequence: 1}", "  age: {sequence: 1}\n  bib: {sequence: 1}", []string{`11:3: field "age" is given twice, first on line 9; expected once`}},
		{"a model parameter that stands twice", "{profile: documented, ", "{partition_target: 2, ", []string{`4:30: field "partition_target" is given twice, first on line 4; expected once`}},
		{"a field that must be there", "name: race\n", "", []string{`1:1: a scenario has no name; expected one`}},
		{"fields that must be there, in lists", "verb: get, ", "", []string{`28:11: an operation has no verb; expected one, or a workflow`}},
		{"a map where a list is expected", "rates: [10, 20.5]", "rates: {from: 10, to: 20}", []string{`25:14: rates is a map; expected a list of rates in operations per second`}},
		{"a list where a map is expected", "load: {entities: 200, transaction: 100, lanes: 4}", "load: [200, 100]", []string{`21:11: load is a list; expected a map with the fields entities, transaction, lanes`}},
		{"nothing where a map is expected", "load: {entities: 200, transaction: 100, lanes: 4}", "load:", []string{`21:10: load is empty; expected a map with the fields entities, transaction, lanes`}},
		{"a text where a map is expected", "model: {profile: documented, partition_target: 500}", "model: documented", []string{`4:8: model is documented; expected a map of a profile and parameters, such as {profile: documented, partition_target: 2000}`}},
		{"a list where a single value is expected", "workers: 8", "workers: [8]", []string{`3:10: workers is a list; expected a whole number from 1 to 100000`}},
		{"nothing where a text is expected", "  partition_key: \"{event}\"", "  partition_key: ~", []string{`17:18: partition_key is empty; expected a text, in quotes where it is "", "null" or "~"`}},
		{"a map where a text is expected: quotes forgotten around a template", "partition_key: \"{event}\"", "partition_key: {event}", []string{`17:18: partition_key is a map; expected a text, in quotes where it begins with a brace or a bracket`}},
		{"an empty list of phases", race[strings.Index(race, "phases:"):], "phases: []\n", []string{`19:9: phases has 0 items; expected 1 to 100 phases`}},
		{"attributes as a list", "attributes:\n", "attributes: [a]\nattribute:\n", []string{
			`5:13: attributes is a list; expected a map from the name of an attribute to its values`,
			`6:1: unknown field "attribute"; did you mean "attributes"?`,
		}},
		{"many faults at once, in the order of the file", race[:strings.Index(race, "attributes:")], "nam: race\nseed: -1\nworkers: many\nretry: shrt\nstart: cool\nmodel: {profil: documented}\n", []string{
			`1:1: unknown field "nam"; did you mean "name"?`,
			`1:1: a scenario has no name; expected one`,
			`2:7: seed is -1; expected a whole number from 0 to 18446744073709551615`,
			`3:10: workers is many; expected a whole number from 1 to 100000`,
			`4:8: unknown retry policy "shrt"; did you mean "short"?`,
			`5:8: unknown start "cool"; did you mean "cold"?`,
			`6:9: unknown model parameter "profil"; did you mean "profile"?`,
		}},
	} {
		t.Run(tt.name, tt.run)
	}
}

func TestFaultsOfValues(t *testing.T) {
	for _, tt := range []broken{
		{"a name that no path can hold", "name: race", "name: my race", []string{`1:7: name is my race; expected a name: a letter, then letters, digits, '_' or '-', at most 64`}},
		{"a negative seed", "seed: 7", "seed: -7", []string{`2:7: seed is -7; expected a whole number from 0 to 18446744073709551615`}},
		{"a seed of more than 64 bits", "seed: 7", "seed: 18446744073709551616", []string{`2:7: seed is 18446744073709551616; expected a whole number from 0 to 18446744073709551615`}},
		{"no workers", "workers: 8", "workers: 0", []string{`3:10: workers is 0; expected a whole number from 1 to 100000`}},
		{"too many workers", "workers: 8", "workers: 100001", []string{`3:10: workers is 100001; expected a whole number from 1 to 100000`}},
		{"a number in quotes is a text", "workers: 8", "workers: \"8\"", []string{`3:10: workers is "8"; expected a whole number from 1 to 100000`}},
		{"a number with a leading zero could be octal", "workers: 8", "workers: 010", []string{`3:10: workers is 010; expected a whole number from 1 to 100000`}},
		{"a number with a fraction where a whole one is expected", "workers: 8", "workers: 8.0", []string{`3:10: workers is 8.0; expected a whole number from 1 to 100000`}},
		{"a table name with an underscore", "workers: 8", "table: my_table", []string{`3:8: table is my_table; expected the base of a table's name: a letter, then letters or digits, 3 to 40 in all`}},
		{"a table name that leaves no room for a suffix", "workers: 8", "table: " + strings.Repeat("t", 41), []string{`3:8: table is ttttttttttttttttttttttttttttttttttttttttt; expected the base of a table's name: a letter, then letters or digits, 3 to 40 in all`}},
		{"a start that does not exist at all", "workers: 8", "start: hot", []string{`3:8: unknown start "hot"; expected warm or cold`}},
		{"a mistyped retry policy", "workers: 8", "retry: documentd", []string{`3:8: unknown retry policy "documentd"; did you mean "documented"?`}},
		{"a mistyped profile", "profile: documented", "profile: documneted", []string{`4:18: unknown profile "documneted"; did you mean "documented"?`}},
		{"a mistyped model parameter", "partition_target", "partition_targt", []string{`4:30: unknown model parameter "partition_targt"; did you mean "partition_target"?`}},
		{"a model parameter that is no number", "partition_target: 500", "partition_target: lots", []string{`4:48: partition_target is "lots"; it must be a whole number of entities/s`}},
		{"a model parameter out of bounds", "partition_target: 500", "partition_target: -1", []string{`4:48: partition_target is -1; it must be from 0 to 100000000`}},
		{"a rate of zero", "rates: [10, 20.5]", "rates: [10, 0]", []string{`25:19: rates[1] is 0; expected a rate in operations per second, such as 500 or 0.5, from 0.001 to 1000000`}},
		{"a rate below zero", "rates: [10, 20.5]", "rates: [-10]", []string{`25:15: rates[0] is -10; expected a rate in operations per second, such as 500 or 0.5, from 0.001 to 1000000`}},
		{"rates that are no numbers", "rates: [10, 20.5]", "rates: [.inf, .nan, 1e3, 2_000, fast]", []string{
			`25:15: rates[0] is .inf; expected a rate in operations per second, such as 500 or 0.5, from 0.001 to 1000000`,
			`25:21: rates[1] is .nan; expected a rate in operations per second, such as 500 or 0.5, from 0.001 to 1000000`,
			`25:27: rates[2] is 1e3; expected a rate in operations per second, such as 500 or 0.5, from 0.001 to 1000000`,
			`25:32: rates[3] is 2_000; expected a rate in operations per second, such as 500 or 0.5, from 0.001 to 1000000`,
			`25:39: rates[4] is fast; expected a rate in operations per second, such as 500 or 0.5, from 0.001 to 1000000`,
		}},
		{"a rate above a million", "rates: [10, 20.5]", "rates: [1000000, 1000000.5]", []string{`25:24: rates[1] is 1000000.5; expected a rate in operations per second, such as 500 or 0.5, from 0.001 to 1000000`}},
		{"no rates", "rates: [10, 20.5]", "rates: []", []string{`25:14: rates has 0 items; expected 1 to 1000 rates in operations per second`}},
		{"a duration without its unit", "each: 2s", "each: 2", []string{`26:13: each is 2; expected a duration with its unit, such as 4s, 2500ms or 1m30s, from 1s to 24h0m0s`}},
		{"a duration of zero", "each: 2s", "each: 0s", []string{`26:13: each is 0s; expected a duration with its unit, such as 4s, 2500ms or 1m30s, from 1s to 24h0m0s`}},
		{"a duration over a day", "each: 2s", "each: 25h", []string{`26:13: each is 25h; expected a duration with its unit, such as 4s, 2500ms or 1m30s, from 1s to 24h0m0s`}},
		{"a truth value that is none", "each: 2s", "each: 2s\n      hold: yes", []string{`27:13: hold is yes; expected true or false`}},
		{"no entities", "entities: 200", "entities: 0", []string{`21:22: entities is 0; expected a whole number from 1 to 10000000`}},
		{"too many entities", "entities: 200", "entities: 10000001", []string{`21:22: entities is 10000001; expected a whole number from 1 to 10000000`}},
		{"too large a transaction", "transaction: 100", "transaction: 101", []string{`21:40: transaction is 101; expected a whole number from 1 to 100`}},
		{"no lanes", "lanes: 4", "lanes: 0", []string{`21:52: lanes is 0; expected a whole number from 1 to 1000`}},
		{"a size over 1 MiB", "size: 600", "size: 1048577", []string{`12:9: size is 1048577; expected a whole number from 1 to 1048576, the quantiles of sizes, such as {p50: 900, p99: 4000}, or {uniform: …}, {lognormal: …}, {pareto: …}, {zipf: …}, {list: …}, {csv: …}`}},
		{"a negative weight", "weight: 3", "weight: -3", []string{`28:31: weight is -3; expected a whole number from 0 to 1000000`}},
		{"a mistyped verb", "verb: get", "verb: git", []string{`28:18: unknown verb "git"; did you mean "get"?`}},
		{"a verb that no peak can offer", "verb: get", "verb: create-table", []string{`28:18: unknown verb "create-table"; expected get, insert, replace, merge, insert-or-replace, insert-or-merge, delete, batch or query`}},
		{"a group that does not exist", "weight: 3", "group: POST", []string{`28:30: unknown group "POST"; did you mean "PUT"?`}},
		{"a type that does not exist", "type: Int32, value: \"{age}\"}\ndesign", "type: int, value: \"{age}\"}\ndesign", []string{`15:25: unknown type "int"; did you mean "Int32"?`}},
		{"a uniform range of three", "[18, 79]", "[18, 40, 79]", []string{`10:18: uniform has 3 items; expected 2 whole numbers`}},
		{"a phase of two kinds", "  - name: peak\n", "  - name: peak\n    count: {lanes: 2}\n", []string{`22:5: a phase has 2 of load, count, peak, spread and traffic; expected exactly one`}},
		{"a phase of no kind", "    load: {entities: 200, transaction: 100, lanes: 4}\n", "", []string{`20:5: a phase has 0 of load, count, peak, spread and traffic; expected exactly one`}},
	} {
		t.Run(tt.name, tt.run)
	}
}

func TestFaultsTogether(t *testing.T) {
	for _, tt := range []broken{
		{"a template is never closed", "\"{bib}__{age}\"", "\"{bib}__{age\"", []string{`18:20: '{' is never closed; expected an attribute in braces, such as {event}, or '{{' for the character itself`}},
		{"a template of an unknown attribute, in a plain text", "\"{bib}__{age}\"", "x{bib}__{aeg}", []string{`18:20: unknown attribute "aeg"; did you mean "age"?`}},
		{"a template of an unknown attribute, behind an escape", "\"{bib}__{age}\"", "\"\\u0041{bib}__{aeg}\"", []string{`18:12: byte 8: unknown attribute "aeg"; did you mean "age"?`}},
		{"a property's template of an unknown attribute", "value: \"{age}\"}\ndesign", "value: \"{agee}\"}\ndesign", []string{`15:40: unknown attribute "agee"; did you mean "age"?`}},
		{"a value that is not of the property's type", "value: \"{age}\"}\ndesign", "value: \"{event}\"}\ndesign", []string{`15:39: value can become "NYC", which is no Int32; expected a whole number from -2147483648 to 2147483647`}},
		{"a value of a merge that is not of its type", "value: \"{age}\"}]", "value: \"{event}\"}]", []string{`29:70: value can become "NYC", which is no Int32; expected a whole number from -2147483648 to 2147483647`}},
		{"a forbidden character in a value that a key is formed from", "[NYC, Berlin]", "[NYC, Ber/lin]", []string{`7:17: list[1] is "Ber/lin", and partition_key is formed from it: OutOfRangeInput: the PartitionKey holds the forbidden character U+002F`}},
		{"a forbidden character in a template of a key", "\"{bib}__{age}\"", "\"{bib}#{age}\"", []string{`18:18: OutOfRangeInput: the RowKey holds the forbidden character U+0023`}},
		{"a key that can become too long", "[NYC, Berlin]", "[NYC, " + strings.Repeat("x", 513) + "]", []string{`7:17: list[1] is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"…, and partition_key is formed from it: KeyValueTooLarge: the PartitionKey has 513 UTF-16 code units, more than 512`}},
		{"an entity that is larger than its size", "size: 600", "size: 80", []string{`12:9: size is 80, but the largest entity has 62 bytes before its filler; expected 84 to 1048576`}},
		{"a weight for one value of two", "weights: [3, 1]", "weights: [3]", []string{`8:14: weights has 1 numbers; expected 2, one for each value of the list`}},
		{"bounds in the wrong order", "[18, 79]", "[79, 18]", []string{`10:18: uniform is [79, 18]; expected the lower bound first`}},
		{"two kinds of values", "bib: {sequence: 1}", "bib: {sequence: 1, uniform: [1, 2]}", []string{`9:8: an attribute has 2 of list, uniform, sequence, zipf, hot_set, partitions, gaussian, latest, csv, time, text; expected exactly one`}},
		{"weights of what is no list", "bib: {sequence: 1}", "bib: {sequence: 1, weights: [1]}", []string{`9:31: weights belongs to list, and this is sequence; expected none`}},
		{"an attribute that cannot be named", "  bib:", "  bib-number: {sequence: 1}\n  bib:", []string{`9:15: "bib-number" cannot name an attribute; expected a letter or '_', then letters, digits or '_'`}},
		{"keys without a sequence", "\"{bib}__{age}\"", "\"{age}\"", []string{`17:3: neither key holds an attribute with a sequence, so that two entities can have the same key; expected one, such as {bib}, or {number} or {uuid}`}},
		{"inserts whose sequence the partition holds", race, strings.NewReplacer(`"{event}"`, `"{bib}"`, "NYC\n", "1\n", "verb: get", "verb: batch").Replace(race), []string{`28:18: a batch needs new keys within one partition, but row_key has no attribute with a sequence that partition_key has not; expected one, such as {bib}`}},
		{"keys that run into each other", race, strings.NewReplacer("__", "", "[18, 79]", "[1, 20]", "entities: 200", "entities: 5000").Replace(race), []string{`21:22: entities 106 and 1070 both have the PartitionKey "NYC" and the RowKey "10715"; expected keys that differ: separate the attributes in row_key`}},
		{"a partition that the load does not yield", "partition_key: NYC", "partition_key: NYCC", []string{`24:22: none of the 200 entities loaded has the PartitionKey "NYCC"; the nearest that exists is "NYC"`}},
		{"a peak before any load", "  - name: load\n    load: {entities: 200, transaction: 100, lanes: 4}\n", "", []string{`20:11: phase "peak" comes before any load; expected a load first`}},
		{"two phases of one name", "- name: peak", "- name: load", []string{`22:11: phase "load" occurs twice; expected names of their own`}},
		{"two operations of one name", "{verb: merge,", "{verb: merge, name: get,", []string{`29:31: operation "get" occurs twice; expected names of their own`}},
		{"an operation with a name that the run needs itself", "{verb: get, ", "{verb: get, name: drop, ", []string{`28:29: an operation cannot be called "drop", for the run's own preparation is; expected another name`}},
		{"one operation in two groups", race, race + "  - name: more\n    peak: {partition_key: NYC, rates: [1], each: 1s, operations: [{verb: get, group: PUT}]}\n", []string{`31:67: operation "get" is in the group PUT here and in GET before; expected one group, or another name`}},
		{"weights that are all zero", "weight: 3}\n        - {verb: merge,", "weight: 0}\n        - {verb: merge, weight: 0,", []string{`28:9: the weights of all operations are 0; expected at least one above`}},
		{"what belongs to another verb", "{verb: get, weight: 3}", "{verb: get, entities: 2, rows: 3, top: 4, properties: []}", []string{
			`28:33: entities belongs to batch, and this is a get; expected none`,
			`28:42: rows belongs to query, and this is a get; expected none`,
			`28:50: top belongs to query, and this is a get; expected none`,
			`28:65: properties belongs to merge and insert-or-merge, and this is a get; expected none`,
		}},
		{"a merge of nothing", ", properties: [{name: Age, type: Int32, value: \"{age}\"}]", "", []string{`29:11: a merge has no properties; expected those that it writes`}},
		{"a transaction over 4 MiB", "size: 600", "size: 50000", []string{`21:40: a transaction of 100 entities of 50000 bytes is larger than 4194304 bytes; expected at most 83 entities`}},
		{"a batch over 4 MiB", race, strings.NewReplacer("size: 600", "size: 50000", "transaction: 100", "transaction: 83", "verb: get", "verb: batch, entities: 84").Replace(race), []string{`28:35: a transaction of 84 entities of 50000 bytes is larger than 4194304 bytes; expected at most 83 entities`}},
		{"a broken attribute is one fault, though keys and partitions depend on it", "sequence: 1", "sequence: one", []string{`9:19: sequence is one; expected a whole number from -9223372036854775808 to 9223372036854775807`}},
		{"a broken load is one fault, though the peak depends on it", "entities: 200", "entities: few", []string{`21:22: entities is few; expected a whole number from 1 to 10000000`}},
	} {
		t.Run(tt.name, tt.run)
	}
}

func TestFaultsOfSyntax(t *testing.T) {
	for _, tt := range []broken{
		{"a bracket that is never closed", "[10, 20.5]", "[10, 20.5", []string{`26:7: not YAML: ',' or ']' must be specified; expected quotes and brackets that are closed, and blanks that indent`}},
		{"a quote that is never closed", "\"{event}\"", "\"{event}", []string{`18:13: not YAML: value is not allowed in this context. map key-value is pre-defined; expected quotes and brackets that are closed, and blanks that indent`}},
		{"a value that is indented as a part of another", "seed: 7", "seed: 7\n workers: 8", []string{`2:7: not YAML: mapping value is not allowed in this context; expected quotes and brackets that are closed, and blanks that indent`}},
		{"a tab as indentation", "  size: 600", "\tsize: 600", []string{`12:1: not YAML: found character '	' that cannot start any token; expected quotes and brackets that are closed, and blanks that indent`}},
		{"an anchor and an alias", "seed: 7\nworkers: 8", "seed: &a 7\nworkers: *a", []string{
			`2:7: an anchor is not part of the scenario format; expected values written out`,
			`3:10: an alias is not part of the scenario format; expected values written out`,
		}},
		{"a tag", "seed: 7", "seed: !!int 7", []string{`2:7: a tag is not part of the scenario format; expected values written out`}},
		{"a merge key", "  size: 600", "  <<: {size: 600}", []string{`12:3: a merge key is not part of the scenario format; expected values written out`}},
		{"a complex key", "seed: 7", "? seed\n: 7", []string{`2:1: a complex key is not part of the scenario format; expected values written out`}},
		{"a directive", "name: race", "%YAML 1.2\n---\nname: race", []string{`1:1: a directive is not part of the scenario format; expected values written out`}},
		{"a second document", "seed: 7", "---\nseed: 7", []string{`3:1: a second document begins; expected one scenario in a file`}},
		{"an unknown escape", "\"{event}\"", "\"\\q{event}\"", []string{`17:20: not YAML: found unknown escape character 'q'; expected quotes and brackets that are closed, and blanks that indent`}},
		{"a control character", "name: race", "name: ra\x01ce", []string{`1:9: control character U+0001; expected text`}},
		{"text that is not UTF-8", "name: race", "name: räce\nabout: \"\xff\"", []string{`2:9: byte 0xff is no part of a character; expected UTF-8 text`}},
		{"lists nested too deeply", "rates: [10, 20.5]", "rates: " + strings.Repeat("[", 30) + strings.Repeat("]", 30), []string{`25:34: too many or too deeply nested values; expected at most 10000 fields and 20 levels`}},
		{"lists nested too deeply on one line", race, strings.Repeat("- ", 3000), []string{`1:41: too many or too deeply nested values; expected at most 10000 fields and 20 levels`}},
		{"an empty file", race, "", []string{`1:1: a scenario is empty; expected a map with the fields name, phases, and others`}},
		{"a file of comments", race, "# nothing\n", []string{`1:1: a scenario is empty; expected a map with the fields name, phases, and others`}},
		{"a file that is a list", race, "- name: race\n", []string{`1:1: a scenario is a list; expected a map with the fields name, phases, and others`}},
		{"a file that is a single value", race, "race\n", []string{`1:1: a scenario is race; expected a map with the fields name, phases, and others`}},
		{"a file that is too large", race, strings.Repeat("#\n", 1<<19) + "#", []string{`1:1: the text is too large; expected at most 1048576 bytes`}},
		{"a file of too many fields", race, strings.Repeat("a: 1\n", 20_000), []string{`10000:2: too many or too deeply nested values; expected at most 10000 fields and 20 levels`}},
	} {
		t.Run(tt.name, tt.run)
	}
}

func TestFaultsAsOneError(t *testing.T) {
	if err := fields.FaultsOf(nil); err != nil {
		t.Errorf("FaultsOf(nil) = %v; want none", err)
	}
	err := fields.FaultsOf([]error{fields.Fault{Path: "seed", What: "is x"}, errors.New("no model")})
	var faults fields.Faults
	if !errors.As(err, &faults) || len(faults) != 2 || faults[0].Path != "seed" || err.Error() != "seed: is x\nno model" {
		t.Errorf("FaultsOf(…) = %q; want both as faults", err)
	}
}
