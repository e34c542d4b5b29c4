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

// exchange is one request and its reply in the making. It is used again for
// another request once it is over, together with its room, which most requests
// find large enough.
type exchange struct {
	handler *Handler
	matter
	// share is what the room for the body counts for among all.
	share *share

	// Room that is used again.
	headers headers
	body    []byte
	entity  wire.EntityBody
	batch   wire.BatchRequest
	packed  entity.Packed
	output  []byte
	kept    keeper
	base    baseURL
	tags    tagger
	// dateText is the date of the last request, and dateTicks what it means.
	dateText  string
	dateTicks entity.Ticks
	// echo returns the entity that a change of the transaction has stored, which the next
	// call overwrites; made once, since it would be allocated anew each time.
	echo func(i int) entity.Packed
	// seen is what an observer is told, written anew for each request.
	seen accesslog.Observed
}

// matter is what belongs to one request.
type matter struct {
	request *http.Request
	number  uint64
	// identity is the chance in this request's identifiers.
	identity clock.Draw

	// What the request asks for, in the order in which it is found out. The
	// tenant is nil for an account that is not served.
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

	// What came of it.
	failure failure
	// challenged says that the request had no token that is good.
	challenged bool
	// crowded says that there was no room for the body.
	crowded           bool
	reply             engine.Reply
	arrived, released clock.Instant
	// verdict is what befalls it on purpose, injected of which kind that is.
	verdict  engine.FaultVerdict
	injected engine.FaultKind

	// What is said of it.
	status    int
	rendering wire.Rendering
}

// text returns the body as a string, without a copy. That is safe although the
// room is used again: nothing that is parsed from the body outlives the
// exchange. The store copies keys and properties (engine/store/apply.go), and
// the two names that the engine keeps beyond that, of tables and of the
// partitions under load, go through a keeper first.
func (x *exchange) text() string { return unsafe.String(unsafe.SliceData(x.body), len(x.body)) }

// keeper makes strings that may outlive the request: copies, of which it holds
// on to the last, since a client that loads a partition names it again and
// again.
type keeper struct{ table, partition string }

func keep(last *string, text string) string {
	if *last != text {
		*last = strings.Clone(text)
	}
	return *last
}

// baseURL remembers the beginning of the absolute URLs of the last reply, which
// is that of the next as a rule.
type baseURL struct {
	https         bool
	host, segment string
	url           string
}

// of returns scheme, host and, in path style, the first segment of the path.
func (b *baseURL) of(https bool, host, segment string) string {
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
