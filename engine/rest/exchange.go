package rest

import (
	"net/http"
	"strings"
	"unsafe"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/wire"
)

// exchange is one request and its reply. It is reused, together with its buffers.
type exchange struct {
	handler *Handler
	matter
	// share is the part of the memory for bodies.
	share *share

	// Reused buffers.
	headers headers
	body    []byte
	entity  wire.EntityBody
	batch   wire.BatchRequest
	packed  entity.Packed
	output  []byte
	kept    keeper
	base    baseURL
	tags    tagger
	// dateText is the date of the last request, and dateTicks its instant.
	dateText  string
	dateTicks entity.Ticks
	// echo returns the entity that a change of the transaction has stored; the next call overwrites it. A
	// field, so that it is allocated once.
	echo func(i int) entity.Packed
	// seen is the observer's view of the request.
	seen accesslog.Observed
}

// matter is the state of one request.
type matter struct {
	request *http.Request
	number  uint64
	// identity draws the request's identifiers.
	identity clock.Draw

	// The parsed request, in the order of parsing. The tenant is nil for an unknown account.
	target    target
	tenant    *tenant
	options   queryOptions
	method    string
	level     wire.Level
	xml       bool
	access    access
	resource  wire.Resource
	operation *operation
	bare      bool
	match     entity.Match
	asked     engine.Request
	change    entity.Change
	boundary  string
	rule      *wire.CORSRule
	policies  []wire.SignedIdentifier
	settings  wire.ServiceProperties
	tables    tableList
	// wanted is the filter of a query.
	wanted *filter.Expression

	// The result.
	failure failure
	// challenged reports that the request had no valid token.
	challenged bool
	// crowded reports that there was no memory for the body.
	crowded           bool
	reply             engine.Reply
	arrived, released clock.Instant
	// verdict is the injected fault, injected its kind.
	verdict  engine.FaultVerdict
	injected engine.FaultKind

	// The reply.
	status    int
	rendering wire.Rendering
}

// text returns the body as a string without a copy. Although the buffer is reused this is safe: nothing parsed from
// the body outlives the exchange. The store copies keys and properties (engine/store/apply.go), and a keeper copies
// the names of tables and partitions that the engine keeps.
func (x *exchange) text() string { return unsafe.String(unsafe.SliceData(x.body), len(x.body)) }

// keeper copies strings that outlive the request. It keeps the last copies, since requests often repeat them.
type keeper struct{ table, partition string }

func keep(last *string, text string) string {
	if *last != text {
		*last = strings.Clone(text)
	}
	return *last
}

// baseURL caches the beginning of absolute URLs, which rarely changes.
type baseURL struct {
	https         bool
	host, segment string
	url           string
}

// begin returns scheme, host and, in path style, the first segment of the path.
func (b *baseURL) begin(https bool, host, segment string) string {
	if b.url == "" || b.https != https || b.host != host || b.segment != segment {
		*b = baseURL{https, strings.Clone(host), strings.Clone(segment), ""}
		scheme := "http://"
		if https {
			scheme = "https://"
		}
		b.url = scheme + b.host
		if segment != "" {
			b.url += "/" + b.segment
		}
	}
	return b.url
}
