package target_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/target"
)

// change is a write of the partition p.
func change(verb entity.Verb) entity.Change {
	return entity.Change{Verb: verb, Key: entity.Key{Partition: "p", Row: "r"}}
}

func between(from, to entity.Key) target.Operation {
	op := target.Operation{Verb: entity.Query}
	op.Query.Range.From, op.Query.Range.To, op.Query.Range.Bounded = from, to, true
	return op
}

func TestPartitionKeyAndEntities(t *testing.T) {
	hundred := make([]entity.Change, 100)
	for i := range hundred {
		hundred[i] = change(entity.Insert)
	}
	k := func(p, r string) entity.Key { return entity.Key{Partition: p, Row: r} }
	for _, row := range []struct {
		name     string
		op       target.Operation
		key      string
		one      bool
		entities int64
	}{
		{"an insert", target.Operation{Verb: entity.Insert, Change: change(entity.Insert)}, "p", true, 1},
		{"a get", target.Operation{Verb: entity.Get, Change: change(entity.Get)}, "p", true, 1},
		{"the empty partition is a partition", target.Operation{Verb: entity.Get}, "", true, 1},
		{"a transaction of 100", target.Operation{Verb: entity.Batch, Changes: hundred}, "p", true, 100},
		{"a transaction of none addresses nothing", target.Operation{Verb: entity.Batch}, "", false, 0},
		{"a transaction does not look at the single change", target.Operation{Verb: entity.Batch, Change: change(entity.Insert)}, "", false, 0},
		{"a query of rows of one partition", between(k("p", "a"), k("p", "b")), "p", true, 1},
		{"a query of one whole partition", between(k("p", ""), k("p\x00", "")), "p", true, 1},
		{"a query of two partitions", between(k("p", ""), k("q", "")), "", false, 1},
		{"a query of a range that ends in another partition", between(k("p", "z"), k("q", "a")), "", false, 1},
		{"a query of the whole table", target.Operation{Verb: entity.Query, Query: target.Query{Top: 10}}, "", false, 1},
		{"what goes beside the table, whatever else is filled in", target.Operation{Verb: entity.Insert, Change: change(entity.Insert),
			Beside: &target.Beside{Verb: target.PutMessage}}, "", false, 0},
		{"a query of which is known what it scans", target.Operation{Verb: entity.Query, Query: target.Query{Scans: 7}}, "", false, 7},
		{"a create-table", target.Operation{Verb: entity.CreateTable, Change: change(entity.Insert)}, "", false, 0},
		{"a delete-table", target.Operation{Verb: entity.DeleteTable, Change: change(entity.Insert)}, "", false, 0},
	} {
		if key, one := row.op.PartitionKey(); key != row.key || one != row.one {
			t.Errorf("%s: PartitionKey() = %q, %v; want %q, %v", row.name, key, one, row.key, row.one)
		}
		assert.Equalf(t, row.entities, row.op.Entities(), "%s: Entities()", row.name)
	}
}

// Each request beside the table has a name, of which those of queues and messages go to a queue.
func TestRequestsBesideTheTable(t *testing.T) {
	for verb := range target.Ask + 2 {
		name := verb.String()
		assert.Equalf(t, verb == 0 || verb > target.Ask, name == "unknown", "request %d is %q", verb, name)
		assert.Equalf(t, strings.Contains(name, "queue") || strings.Contains(name, "message"), verb.OfQueue(), "%s, of a queue", name)
	}
}

// What goes beside the table does not belong here: it is answered as a fault of the
// request, counts nothing, and panics nowhere.
func TestRequestBesideTheTableIsNotOurs(t *testing.T) {
	to := target.NewInProcess(newEngine(t, model.Documented), account, nil)
	outcome, _ := to.Submit(0, &target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "queue"}})
	assert.Truef(t, outcome.Status >= 400 && outcome.Counted == 0, "Submit = %+v; want a fault, and nothing counted", outcome)
}

func TestClass(t *testing.T) {
	var none target.Expected
	absent := target.Expected{NotFound: true}
	taken := target.Expected{Conflict: true}
	stale := target.Expected{Precondition: true}
	all := target.Expected{NotFound: true, Conflict: true, Precondition: true}
	for _, row := range []struct {
		name     string
		status   int
		code     entity.Code
		expected target.Expected
		want     results.Class
		unheard  bool
	}{
		{"no reply at all", 0, "", none, results.Failed, true},
		{"a negative status", -503, "", all, results.Failed, false},
		{"an informational status is no success", 199, "", all, results.Failed, false},
		{"read", 200, "", none, results.Ok, false},
		{"created", 201, "", none, results.Ok, false},
		{"a transaction carried out", 202, "", none, results.Ok, false},
		{"the last 2xx", 299, "", none, results.Ok, false},
		{"a redirection is no success", 300, "", all, results.Failed, false},
		{"missing", 404, entity.ResourceNotFound, none, results.Failed, false},
		{"missing, as a delete-if-exists expects", 404, entity.ResourceNotFound, absent, results.Ok, false},
		{"request time-out is the client's fault", 408, "", all, results.Failed, false},
		{"exists already", 409, entity.EntityAlreadyExists, none, results.Failed, false},
		{"exists already, as an insert-if-absent expects", 409, entity.EntityAlreadyExists, taken, results.Ok, false},
		{"another version", 412, entity.ConditionNotSatisfied, none, results.Failed, false},
		{"another version, as an optimistic writer expects", 412, entity.ConditionNotSatisfied, stale, results.Ok, false},
		{"too many requests, of Cosmos DB", 429, "TooManyRequests", none, results.Throttled, false},
		{"an internal error", 500, "InternalError", none, results.Failed, true},
		{"a time-out of the server", 500, entity.OperationTimedOut, none, results.Throttled, true},
		{"server busy", 503, entity.ServerBusy, none, results.Throttled, false},
		{"busy, whoever says so", 503, "", all, results.Throttled, false},
		{"gateway time-out", 504, "", none, results.Throttled, true},
		{"a server that is busy until its time is over", 503, entity.OperationTimedOut, none, results.Throttled, true},
		{"the last status below", 499, "", none, results.Failed, false},
		{"HTTP version not supported", 505, "", all, results.Failed, true},
	} {
		outcome := target.Outcome{Status: row.status, Code: row.code}
		assert.Equal(t, string(row.code), outcome.Cause(), row.name)
		if got, unheard := outcome.Class(row.expected), outcome.Unheard(); got != row.want || unheard != row.unheard {
			t.Errorf("%s: Outcome{%d %s} expecting %+v is %v, unheard %t; want %v, %t",
				row.name, row.status, row.code, row.expected, got, unheard, row.want, row.unheard)
		}
		outcome.Fault = target.Unreadable
		assert.Truef(t, outcome.Class(all) == results.Failed && outcome.Unheard() && outcome.Cause() == cmp.Or(string(row.code), string(target.Unreadable)),
			"%s, with a fault: %+v", row.name, outcome)
	}
}

// Each constructor requests the range of its name.
func TestQueryConstructors(t *testing.T) {
	filtered, err := target.Filtered("PartitionKey eq 'p' and (Age gt 3)")
	require.NoError(t, err)
	for want, query := range map[string]target.Query{
		"PartitionKey eq 'p' and RowKey eq 'r'":       target.OnePoint(entity.Key{Partition: "p", Row: "r"}),
		"PartitionKey eq 'p' and RowKey ge 'r'":       target.RowsFrom("p", "r"),
		"PartitionKey eq 'p'":                         target.OnePartition("p"),
		"PartitionKey ge 'p' and PartitionKey le 'q'": target.Partitions("p", "q"),
		"": {},
		"PartitionKey eq 'p' and (Age gt 3), by range": filtered,
	} {
		if query.Filter != nil {
			want = "PartitionKey eq 'p'"
		}
		text, sound := query.Range.Text()
		assert.Truef(t, sound && text == want, "%q; want %q", text, want)
	}
}

func TestAFilterThatIsNone(t *testing.T) {
	for _, text := range []string{"Age >> 3", "Age gt", "(", "startswith(Name, 'a')", "Age gt 3 and", strings.Repeat("(", 200)} {
		if _, err := target.Filtered(text); !errors.Is(err, target.ErrFilter) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Filtered(%.20q) = %v; want ErrFilter in one line", text, err)
		}
	}
}

func TestRestOfAQuery(t *testing.T) {
	q := target.RowsFrom("p", "5")
	at := func(partition, row string) target.Token {
		return target.Token{Present: true, NextPartitionKey: partition, NextRowKey: row}
	}
	for _, row := range []struct {
		name  string
		token target.Token
		from  entity.Key
		empty bool
	}{
		{"no token", target.Token{}, entity.Key{Partition: "p", Row: "5"}, false},
		{"a token within", at("p", "7"), entity.Key{Partition: "p", Row: "7"}, false},
		{"a token before it leaves it whole", at("a", "7"), entity.Key{Partition: "p", Row: "5"}, false},
		{"a token behind it leaves nothing", at("q", ""), entity.Key{Partition: "q"}, true},
	} {
		q.Token = row.token
		if got := q.Remaining(); got.From != row.from || got.To != q.Range.To || got.Empty() != row.empty {
			t.Errorf("%s: Rest() = %+v, empty %v; want it from %v, empty %v", row.name, got, got.Empty(), row.from, row.empty)
		}
	}
}

func TestTokenAsText(t *testing.T) {
	for _, row := range []struct {
		name  string
		token target.Token
		text  string
	}{
		{"no token is no text", target.Token{}, ""},
		{"two empty keys are a token", target.Token{Present: true}, "from.."},
		{"no row", target.Token{Present: true, NextPartitionKey: "p"}, "from.cA."},
		{"a point, a slash and a plus sign in the keys", target.Token{Present: true, NextPartitionKey: "a.b", NextRowKey: "\xfb\xff"}, "from.YS5i.-_8"},
		{"what a service packs", target.Token{Present: true, NextPartitionKey: "1!8!U21pdGg-", NextRowKey: "1!0!"}, "from.MSE4IVUyMXBkR2ct.MSEwIQ"},
	} {
		text, err := row.token.MarshalText()
		assert.Truef(t, err == nil && string(text) == row.text,
			"%s: %+v.MarshalText() = %q, %v; want %q", row.name, row.token, text, err, row.text)
		got := target.Token{Present: true, NextRowKey: "before"}
		if err := got.UnmarshalText([]byte(row.text)); err != nil || got != row.token {
			t.Errorf("%s: UnmarshalText(%q) = %+v, %v; want %+v", row.name, row.text, got, err, row.token)
		}
	}
}

func TestTextsThatAreNoToken(t *testing.T) {
	before := target.Token{Present: true, NextPartitionKey: "before"}
	for _, row := range []struct{ name, text, hint string }{
		{"a blank", " ", "expected from."},
		{"the mark alone", "from", "expected from."},
		{"one key", "from.cA", "expected from."},
		{"padding", "from.cA==.", "PartitionKey"},
		{"the other alphabet", "from.+/8.", "PartitionKey"},
		{"bits left over", "from.cB.", "PartitionKey"},
		{"a line end, which the decoder passes over", "from.cA.c\nA", "RowKey"},
		{"a blank before it", " from.cA.cA", "expected from."},
		{"more than any service gives", "from." + strings.Repeat("AAAA", 4096) + ".", "16384"},
	} {
		got := before
		err := got.UnmarshalText([]byte(row.text))
		assert.Truef(t, errors.Is(err, target.ErrToken) && strings.Contains(err.Error(), row.hint) && len(err.Error()) <= 200,
			"%s: UnmarshalText(%.40q) = %v; want ErrToken with %q in a short line", row.name, row.text, err, row.hint)
		assert.Truef(t, got == before,
			"%s: UnmarshalText(%.40q) left %+v; want the token as it was", row.name, row.text, got)
	}
}

// Whatever text is read as a token is written so again, and each token comes back
// from its text, through JSON too.
func FuzzToken(f *testing.F) {
	for _, text := range []string{"", "from..", "from.cA.MDAx", "from.cB.", "from.cA.c\nA", "to.cA.cA"} {
		f.Add(text, "p", "r")
	}
	f.Add("from.AA.AA", "\x00", "\xff'\"\\")
	f.Fuzz(func(t *testing.T, text, partition, row string) {
		var read target.Token
		if err := read.UnmarshalText([]byte(text)); err == nil {
			if again, err := read.MarshalText(); err != nil || string(again) != text {
				t.Fatalf("UnmarshalText(%q) is written %q, %v; want the text", text, again, err)
			}
		} else if !errors.Is(err, target.ErrToken) {
			t.Fatalf("UnmarshalText(%q) = %v; want ErrToken", text, err)
		}
		token := target.Token{Present: true, NextPartitionKey: partition, NextRowKey: row}
		written, err := json.Marshal(token)
		if err != nil {
			t.Fatalf("Marshal(%+v) = %v; want no error", token, err)
		}
		if len(written) > 16<<10 {
			return
		}
		var back target.Token
		if err := json.Unmarshal(written, &back); err != nil || back != token {
			t.Fatalf("Unmarshal(%s) = %+v, %v; want %+v", written, back, err, token)
		}
	})
}
