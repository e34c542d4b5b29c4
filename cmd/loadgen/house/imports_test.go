package house_test

// row is a package of the module in the table of rooms. ARCHITECTURE.md shows the table
// under "Rooms and arrows"; it is written there by
//
//	go test ./cmd/loadgen/house -rewrite
type row struct {
	// path is the import path without the module's name.
	path string
	// what says in one sentence what the package is.
	what string
	// imports are the packages of this module that it may import, by exact path; tests
	// are free to import what they exercise.
	imports []string
	// owns are the third-party modules that it alone may import, by the beginning of the
	// import path; of the core that Azure's SDKs share each room that has one of them.
	owns []string
}

// rows is the table of rooms, in the order in which it is read.
var rows = []row{
	{
		path: "cmd/loadgen",
		// Rooms that are asked for a whole answer, and what is needed to put the question and
		// to show what came: neither what drives a run nor the engine.
		what: "the command: a file for each verb, its flags, its help, exit codes",
		imports: []string{
			"backoff", "backoff/trial",
			"engine/clock", "engine/model", "engine/nearest", "engine/rest/serve",
			"report", "report/chart", "report/compare", "report/compare/contest", "report/compare/gate", "report/compare/history", "report/compare/runs", "report/document", "report/live", "report/live/otlp", "report/live/page", "report/live/prometheus", "report/text", "report/verdict",
			"results", "results/catalog",
			"scenarios", "scenarios/advise", "scenarios/advise/keystatistics", "scenarios/campaign", "scenarios/capture", "scenarios/doctor", "scenarios/drive", "scenarios/fields", "scenarios/fleet", "scenarios/logs", "scenarios/logs/replay", "scenarios/run", "scenarios/series",
		},
		owns: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},
	}, {
		path: "scenarios",
		what: "the scenario format and the built-in library",
		imports: []string{
			"backoff",
			"engine", "engine/clock", "engine/csvfile", "engine/entity", "engine/filter", "engine/model", "engine/nearest", "engine/wire",
			"results/figure",
			"scenarios/arrival", "scenarios/fields", "scenarios/keys", "scenarios/workflow",
			"target",
		},
	}, {
		path:    "scenarios/fields",
		what:    "what a field of a YAML file is declared with: read, printed, overridden and described by one declaration",
		imports: []string{"engine/nearest"},
		owns:    []string{"github.com/goccy/go-yaml"},
	}, {
		path:    "scenarios/keys",
		what:    "PartitionKey and RowKey designs as pure generators, and the skew they yield",
		imports: []string{"engine/clock", "engine/csvfile", "engine/entity", "engine/filter", "engine/nearest"},
	}, {
		path:    "scenarios/arrival",
		what:    "when operations are due: schedules as pure functions",
		imports: []string{"engine/clock", "engine/csvfile", "engine/entity", "engine/nearest"},
	}, {
		path:    "scenarios/workflow",
		what:    "the closed list of operations of several requests",
		imports: []string{"engine/clock", "engine/entity", "engine/filter", "results", "target"},
	}, {
		path: "scenarios/doctor",
		what: "what proves the tool on its machine, and visits a service, to drop what killed runs left there as well",
		imports: []string{
			"engine", "engine/clock", "engine/entity", "engine/model", "engine/nearest", "engine/rest",
			"report/compare/statistics", "report/document", "report/verdict",
			"results",
			"scenarios", "scenarios/arrival", "scenarios/campaign", "scenarios/drive", "scenarios/fields", "scenarios/run",
			"target", "target/azure",
		},
	}, {
		path: "scenarios/drive",
		what: "the driving loop: session, agenda, the two runners",
		imports: []string{
			"backoff",
			"engine/clock", "engine/entity", "engine/invariants",
			"results",
			"scenarios/arrival", "scenarios/workflow",
			"target",
		},
		owns: []string{"github.com/tsenart/vegeta/v12"},
	}, {
		path: "scenarios/campaign",
		what: "the stages that a scenario comes to, and what they come to before they run",
		imports: []string{
			"backoff",
			"engine/clock", "engine/entity", "engine/filter",
			"results",
			"scenarios", "scenarios/arrival", "scenarios/drive", "scenarios/fields", "scenarios/keys", "scenarios/workflow",
			"target",
		},
	}, {
		path: "scenarios/advise",
		what: "what a design comes to before it runs, point by point of the documents' checklist",
		imports: []string{
			"backoff",
			"engine/clock", "engine/entity", "engine/filter",
			"report/document", "report/verdict",
			"results", "results/figure",
			"scenarios", "scenarios/advise/keystatistics", "scenarios/campaign", "scenarios/fields", "scenarios/keys", "scenarios/run",
		},
	}, {
		path: "backoff/trial",
		what: "several retry policies through the same trouble, on the virtual clock",
		imports: []string{
			"backoff",
			"engine", "engine/clock", "engine/entity", "engine/model", "engine/nearest",
			"report/chart", "report/document", "report/text",
			"results",
			"scenarios/arrival", "scenarios/drive", "scenarios/run",
			"target",
		},
	}, {
		path: "scenarios/capture",
		what: "outside traffic of the server, turned into the record of a run",
		imports: []string{
			"engine/clock", "engine/entity", "engine/model", "engine/rest",
			"report/compare/statistics", "report/verdict",
			"results", "results/figure",
			"scenarios/advise/keystatistics", "scenarios/keys",
		},
	}, {
		path: "scenarios/logs",
		what: "what the log of a table says, as a record and a report",
		imports: []string{
			"engine/accesslog", "engine/clock", "engine/entity", "engine/filter", "engine/model", "engine/nearest", "engine/rest", "engine/wire",
			"report", "report/document", "report/text",
			"results",
			"scenarios/capture",
		},
	}, {
		path: "scenarios/logs/replay",
		what: "the operations of a log once more, under the keys of other designs",
		imports: []string{
			"engine/accesslog", "engine/clock", "engine/entity", "engine/filter", "engine/model", "engine/nearest", "engine/store", "engine/wire",
			"report", "report/compare/contest", "report/document", "report/text",
			"results", "results/figure",
			"scenarios", "scenarios/advise/suggest", "scenarios/arrival", "scenarios/campaign", "scenarios/fields", "scenarios/keys", "scenarios/logs", "scenarios/run",
			"target",
		},
	}, {
		path:    "report/live",
		what:    "how a run fares while it goes on, in constant memory",
		imports: []string{"results", "scenarios/keys"},
	}, {
		path:    "report/live/prometheus",
		what:    "how a run fares, as Prometheus metrics",
		imports: []string{"engine/rest", "report/live", "results"},
		owns:    []string{"github.com/prometheus/client_golang"},
	}, {
		path:    "report/live/otlp",
		what:    "how a run fares, sent to an OpenTelemetry endpoint",
		imports: []string{"engine/clock", "report/live", "results"},
		owns:    []string{"github.com/go-logr/logr", "go.opentelemetry.io"},
	}, {
		path:    "report/live/page",
		what:    "how something fares, as the report's own page that is told anew while it is open",
		imports: []string{"engine/clock", "engine/rest", "report/document", "report/html", "report/live", "results"},
	}, {
		path: "scenarios/run",
		what: "one run, from a plan to a sealed record: the only place that puts one together",
		imports: []string{
			"backoff",
			"engine", "engine/clock", "engine/entity", "engine/model", "engine/nearest", "engine/rest", "engine/store", "engine/wire",
			"report/document", "report/export", "report/verdict",
			"results", "results/figure",
			"scenarios", "scenarios/campaign", "scenarios/drive", "scenarios/fields",
			"target", "target/azure", "target/queueblob",
		},
	}, {
		path: "scenarios/fleet",
		what: "runs over several processes, on one machine or many",
		imports: []string{
			"engine/clock",
			"report/document",
			"results", "results/figure",
			"scenarios", "scenarios/campaign", "scenarios/drive", "scenarios/fields", "scenarios/fleet/protocol", "scenarios/run",
		},
		owns: []string{"github.com/nats-io"},
	}, {
		path:    "scenarios/fleet/protocol",
		what:    "how the members of a fleet agree with their leader on each of its runs",
		imports: []string{"engine/clock", "results"},
	}, {
		path: "scenarios/series",
		what: "many runs that answer one question: sweep, search, contest, pairs of a gate, patterns",
		imports: []string{
			"engine/clock", "engine/entity", "engine/nearest",
			"report", "report/compare", "report/compare/contest", "report/compare/gate", "report/document", "report/export", "report/live", "report/text", "report/verdict",
			"results", "results/baseline", "results/figure",
			"scenarios", "scenarios/advise", "scenarios/advise/keystatistics", "scenarios/advise/suggest", "scenarios/campaign", "scenarios/drive", "scenarios/fields", "scenarios/keys", "scenarios/run",
		},
	}, {
		path: "scenarios/advise/suggest",
		what: "designs to try for a scenario, by the documents' rule",
		imports: []string{
			"engine/clock", "engine/entity", "engine/filter",
			"report/document",
			"results/figure",
			"scenarios", "scenarios/advise", "scenarios/advise/keystatistics", "scenarios/fields", "scenarios/keys",
		},
	}, {
		path:    "scenarios/advise/keystatistics",
		what:    "how a stream of keys lies over partitions, in constant memory: skew, and whether inserts all go to one end",
		imports: []string{"engine/clock", "engine/csvfile", "engine/entity", "engine/nearest", "report/document", "results", "scenarios/keys"},
	}, {
		path:    "backoff",
		what:    "retry policies and limiters as pure formulas",
		imports: []string{"engine/nearest"},
	}, {
		path:    "target",
		what:    "what load is sent to: an operation in, an outcome out",
		imports: []string{"engine", "engine/clock", "engine/entity", "engine/filter", "engine/model", "engine/wire", "results"},
	}, {
		path: "target/azure",
		what: "the REST client of a table service, ours or another",
		// What net/http does with the environment's proxies, without its memory of them.
		imports: []string{"engine/clock", "engine/entity", "engine/filter", "engine/invariants", "engine/nearest", "engine/wire", "target"},
		owns: []string{
			"github.com/Azure/azure-sdk-for-go/sdk/azcore", "github.com/Azure/azure-sdk-for-go/sdk/azidentity",
			"golang.org/x/net/http/httpproxy",
		},
	}, {
		path:    "target/queueblob",
		what:    "queues and containers of blobs beside the tables: in memory, or a real account's own",
		imports: []string{"engine/clock", "engine/entity", "results", "target"},
		owns:    []string{"github.com/Azure/azure-sdk-for-go/sdk/azcore", "github.com/Azure/azure-sdk-for-go/sdk/storage"},
	}, {
		path:    "target/targettest",
		what:    "the suite that every target passes",
		imports: []string{"engine/clock", "engine/entity", "engine/filter", "results", "target"},
	}, {
		path:    "engine",
		what:    "the embedded account: a store behind a partition layer",
		imports: []string{"engine/clock", "engine/entity", "engine/filter", "engine/model", "engine/partition", "engine/store"},
	}, {
		path:    "engine/partition",
		what:    "range partitions on partition servers: admission, load balancing, and how long the service works",
		imports: []string{"engine/clock", "engine/entity", "engine/model"},
	}, {
		path:    "engine/store",
		what:    "ordered tables in memory: what a request means, without time",
		imports: []string{"engine/entity", "engine/filter"},
		owns:    []string{"github.com/tidwall/btree"},
	}, {
		path:    "engine/store/durable",
		what:    "the same tables in a folder, that are there again after an end of any kind",
		imports: []string{"engine/entity", "engine/store"},
		owns:    []string{"github.com/cockroachdb/pebble/v2"},
	}, {
		path:    "engine/store/storetest",
		what:    "the suite that every store passes, and a map to compare it with",
		imports: []string{"engine", "engine/entity", "engine/filter", "engine/store"},
	}, {
		path:    "engine/model",
		what:    "the partition model's parameters, with unit, bounds and provenance",
		imports: []string{"engine/nearest"},
	}, {
		path:    "engine/rest",
		what:    "the engine over HTTP",
		imports: []string{"engine", "engine/clock", "engine/entity", "engine/filter", "engine/invariants", "engine/wire"},
		owns:    []string{"github.com/coreos/go-oidc/v3"},
	}, {
		path: "engine/rest/resttest",
		what: "local Table services, and clients of them, for tests",
		imports: []string{
			"engine", "engine/clock", "engine/entity", "engine/model", "engine/rest", "engine/rest/serve", "engine/wire",
			"target", "target/azure",
		},
	}, {
		path:    "results/resultstest",
		what:    "records of declared runs for tests",
		imports: []string{"results"},
	}, {
		path:    "scenarios/run/runtest",
		what:    "scenarios that tests read and simulate",
		imports: []string{"engine", "report/verdict", "results", "scenarios", "scenarios/campaign", "scenarios/drive", "scenarios/run", "target"},
	}, {
		path: "engine/rest/serve",
		what: "a table service for others: listener, second address, archives, log, end",
		imports: []string{
			"engine", "engine/accesslog", "engine/clock", "engine/csvfile", "engine/entity", "engine/model", "engine/rest", "engine/store/durable", "engine/wire",
		},
	}, {
		path:    "engine/accesslog",
		what:    "the logs that table services keep of their requests, read and written",
		imports: []string{"engine/csvfile", "engine/entity", "engine/filter", "engine/nearest", "engine/wire"},
		owns:    []string{"github.com/go-json-experiment/json"},
	}, {
		path:    "engine/csvfile",
		what:    "rows of a CSV file, in the dialect that the file itself tells",
		imports: []string{"engine/nearest"},
	}, {
		path: "engine/nearest",
		what: "the nearest of several names to one that was mistyped",
	}, {
		path:    "engine/wire",
		what:    "the REST wire format both ways, without sockets: addresses, entities, errors, tokens",
		imports: []string{"engine/entity"},
	}, {
		path:    "engine/filter",
		what:    "`$filter`: its text, its truth, and the key range that a query has to read",
		imports: []string{"engine/entity"},
	}, {
		path: "engine/entity",
		what: "keys and their order, typed properties, sizes, limits, codes",
	}, {
		path: "engine/invariants",
		what: "values that nobody means, for what goes back into a pool, under a build tag",
	}, {
		path: "engine/clock",
		what: "instants, clocks, fine sleep, the event queue, named streams of chance",
	}, {
		path: "results",
		what: "the record of a run: recorder, codec, reader",
		owns: []string{"github.com/HdrHistogram/hdrhistogram-go"},
	}, {
		path:    "results/baseline",
		what:    "what of a run in virtual time repeats exactly, and the file that later runs are held to",
		imports: []string{"results"},
	}, {
		path:    "results/catalog",
		what:    "the runs that are kept: their names, tags, age",
		imports: []string{"engine/nearest", "results"},
	}, {
		path:    "results/figure",
		what:    "the registry of figures: each defined once, and taken from a record by its name",
		imports: []string{"report/compare/statistics", "results"},
	}, {
		path: "report",
		what: "a judged record as one document, and that in every form; its charts and its page beside it; the list of the runs that are kept",
		imports: []string{
			"report/chart", "report/document", "report/export", "report/html", "report/text", "report/verdict",
			"results", "results/catalog", "results/figure",
		},
	}, {
		path:    "report/compare",
		what:    "whether two builds, two runs or the nights of a series differ: one set of outcomes",
		imports: []string{"report/compare/statistics", "report/document", "results"},
	}, {
		path: "report/compare/statistics",
		what: "the arithmetic of samples: means, medians, distributions, tests",
		owns: []string{"gonum.org/v1/gonum"},
	}, {
		path: "report/compare/runs",
		what: "two runs or sets of runs, side by side: figures, bounds, warnings",
		imports: []string{
			"report/compare", "report/compare/statistics", "report/document", "report/verdict",
			"results", "results/baseline", "results/figure",
		},
	}, {
		path: "report/document",
		what: "what a report says, before anybody has decided how it looks",
	}, {
		path:    "report/html",
		what:    "a report as one page that asks nobody for anything, with uPlot in it",
		imports: []string{"report/document"},
	}, {
		path:    "report/export",
		what:    "a run in the forms that other tools read: HdrHistogram's log, Go's benchmarks, JUnit",
		imports: []string{"results", "results/figure"},
	}, {
		path: "report/compare/history",
		what: "the nights of a scenario, and where they step",
		imports: []string{
			"engine/nearest",
			"report/chart", "report/compare", "report/compare/statistics", "report/document", "report/text", "report/verdict",
			"results", "results/figure",
		},
	}, {
		path:    "report/text",
		what:    "text for a person: lines of a bounded width, tables, Markdown, nothing that moves a cursor",
		imports: []string{"report/document"},
		owns:    []string{"charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi"},
	}, {
		path: "report/compare/contest",
		what: "which of several designs is best, by how much, and why",
		imports: []string{
			"report/chart", "report/compare/statistics", "report/document", "report/html", "report/verdict",
			"results", "results/figure",
		},
	}, {
		path:    "report/compare/gate",
		what:    "what a gate says of scenarios, in the forms that people and machines read",
		imports: []string{"engine/nearest", "report", "report/compare", "report/document", "report/export", "report/text", "results/figure"},
	}, {
		path:    "report/verdict",
		what:    "what a record means, and what it cannot tell",
		imports: []string{"report/compare/statistics", "report/document", "results", "results/figure"},
	}, {
		path:    "report/chart",
		what:    "charts of a run, of a contest and of nights, PNG and SVG",
		imports: []string{"report/document", "results", "results/figure"},
		owns:    []string{"gonum.org/v1/plot"},
	},
}

// testModules are third-party modules that only tests import.
var testModules = []string{
	"github.com/creack/pty",
	"github.com/anishathalye/porcupine",
	"github.com/google/go-cmp",
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables",
	"github.com/rogpeppe/go-internal",
	"github.com/stretchr/testify",
	"github.com/golang-jwt/jwt",
	"golang.org/x/net",
	"google.golang.org/grpc",
	"google.golang.org/protobuf",
}
