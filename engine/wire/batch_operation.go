package wire

import (
	"slices"
	"strings"

	"loadgen/engine/entity"
)

// operation is one request within a batch.
type operation struct {
	verb     entity.Verb
	resource Resource
	match    entity.Match
	body     string
}

// operationHead is what of an operation's headers counts.
type operationHead struct {
	method, target      string
	contentType, accept string
	prefer              string
	ifMatch             string
	hasIfMatch          bool
	hasIfNoneMatch      bool
	override            string
	overrides           int
	contentID           string
	hasContentID        bool
}

// open reads an operation's part but for the JSON, and appends to b.Parts what
// the reply has to know, whatever else is wrong with it. Operations of one kind
// have one target or nearly so: an insert's is read once for a whole batch.
func (b *BatchRequest) open(part string) (o operation, code entity.Code, detail string) {
	var head operationHead
	body, ok := head.read(part, &b.known)
	b.Parts = append(b.Parts, BatchPart{ContentID: head.contentID, HasContentID: head.hasContentID})
	reply := &b.Parts[len(b.Parts)-1]
	if !ok {
		return o, entity.InvalidInput, "batch part is no HTTP request"
	}
	if o.verb, code, detail = head.verb(); code != entity.OK {
		return o, code, detail
	}
	speaksJSON := o.verb == entity.Delete || o.verb == entity.Get || head.contentType == "application/json"
	if !speaksJSON {
		// A type that is not given counts as JSON.
		media, _, _ := strings.Cut(head.contentType, ";")
		media = strings.TrimSpace(media)
		speaksJSON = media == "" || isJSON(media)
	}
	if reply.Level, ok = ParseLevel(head.accept); !ok || !speaksJSON {
		return o, entity.AtomFormatNotSupported, "batch operation is not JSON"
	}
	if o.verb == entity.Insert {
		reply.quiet = head.prefer == "return-no-content" || strings.EqualFold(head.prefer, "return-no-content")
		reply.Echo = !reply.quiet
	}
	if head.hasIfNoneMatch {
		return o, entity.InvalidInput, "If-None-Match in a batch operation"
	}
	if o.match, code, detail = ParseMatch(head.ifMatch, head.hasIfMatch); code != entity.OK {
		return o, code, detail
	}
	o.body = body
	o.resource, code, detail = b.resourceOf(head.target)
	return o, code, detail
}

// batchRowStart and rowEnd are what stands around the RowKey of a target, as all clients write
// it.
const batchRowStart, rowEnd = ",RowKey='", "')"

// resourceOf returns what the target of an operation names, as [ParseResource] does; the
// target is mostly the last one, or that with another RowKey.
func (b *BatchRequest) resourceOf(target string) (r Resource, code entity.Code, detail string) {
	if target == b.target && b.target != "" {
		return b.resource, entity.OK, ""
	}
	if b.upToRow > 0 && strings.HasPrefix(target, b.target[:b.upToRow]) {
		row, ended := strings.CutSuffix(target[b.upToRow:], rowEnd)
		plain := 0
		for plain < len(row) && byteKinds[row[plain]]&headerByte != 0 {
			plain++
		}
		if ended && plain == len(row) {
			// Its characters stand for themselves.
			r = b.resource
			r.Key.Row = row
			return r, entity.OK, ""
		}
	}
	// A resource has no slash, since keys have none but escaped ones. A URL that ends with
	// its host names none.
	path, _, _ := strings.Cut(target, "?")
	r, code, detail = ParseResource(path[strings.LastIndexByte(path, '/')+1:])
	if code != entity.OK {
		return r, code, detail
	}
	b.target, b.resource, b.upToRow = target, r, 0
	// The RowKey may be the target's last, and stand there as it is.
	at := strings.LastIndex(target, batchRowStart) + len(batchRowStart)
	if at >= len(batchRowStart) && target[at:] == r.Key.Row+rowEnd {
		b.upToRow = at
	}
	return r, entity.OK, ""
}

// defaultHead is what nearly every part begins with.
const defaultHead = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"

// read takes a part apart and returns the body, with whatever line ends follow
// it. Headers before the request line are those of the part, blank lines there
// count for nothing; the headers of a request without a body may end with it.
func (h *operationHead) read(part string, known *knownHead) (body string, ok bool) {
	if known.text != "" && strings.HasPrefix(part, known.text) {
		*h = known.head
		return h.readHeaders(part, part[len(known.text):], nil)
	}
	known.text = ""
	line, rest := cutLine(strings.TrimPrefix(part, defaultHead))
	for ; ; line, rest = cutLine(rest) {
		if name, value, named := cutHeader(line); named {
			if isHeader(name, contentIDHeader) {
				h.contentID, h.hasContentID = value, true
			}
			continue
		}
		if !isBlank(line) {
			break
		}
		if rest == "" {
			return "", false
		}
	}
	line = strings.TrimRight(line, " \t")
	method, version := strings.IndexByte(line, ' '), strings.LastIndexByte(line, ' ')
	if method == version || !strings.HasPrefix(line[version+1:], "HTTP/") {
		return "", false
	}
	h.method, h.target = line[:method], strings.TrimSpace(line[method:version])
	return h.readHeaders(part, rest, known)
}

// readHeaders reads the lines from rest on, which is the end of a part. What it
// learns of what the next part may begin with it adds to known, nil for not.
func (h *operationHead) readHeaders(part, rest string, known *knownHead) (body string, ok bool) {
	if known != nil && known.headers != "" && !h.hasContentID && strings.HasPrefix(rest, known.headers) {
		method, target := h.method, h.target
		*h = known.meant
		h.method, h.target = method, target
		return rest[len(known.headers):], true
	}
	headers, all := rest, known
	line, after := cutLine(rest)
	for ; !isBlank(line); line, after = cutLine(rest) {
		name, value, named := cutHeader(line)
		if !named {
			return "", false
		}
		h.set(name, value)
		rest = after
		if known != nil {
			text := part[:len(part)-len(rest)]
			if h.hasContentID || h.hasIfMatch || text[len(text)-1] != '\n' {
				known = nil
			} else {
				known.text, known.head = text, *h
			}
		}
	}
	if all != nil && !h.hasContentID && after != "" {
		all.headers, all.meant = headers[:len(headers)-len(after)], *h
	}
	return after, true
}

// knownHead is what of an operation's head means the same at the front of another, since
// clients write all heads of a transaction alike.
type knownHead struct {
	// text is whole lines, up to the first that differs from operation to operation, and
	// head what they mean.
	text string
	head operationHead
	// headers are all lines after the request line, the blank one that ends them as well,
	// and meant what they mean together with any request line.
	headers string
	meant   operationHead
}

// set takes note of a header of the request.
func (h *operationHead) set(name, value string) {
	switch {
	case isHeader(name, contentTypeHeader):
		h.contentType = value
	case isHeader(name, "Accept"):
		h.accept = value
	case isHeader(name, "Prefer"):
		h.prefer = value
	case isHeader(name, "If-Match"):
		h.ifMatch, h.hasIfMatch = value, true
	case isHeader(name, "If-None-Match"):
		h.hasIfNoneMatch = true
	case isHeader(name, "X-HTTP-Method"):
		h.override = value
		h.overrides++
	case isHeader(name, contentIDHeader):
		h.contentID, h.hasContentID = value, true
	}
}

// verb returns what the method asks for. It is the presence of If-Match alone
// that tells an update from an upsert.
func (h *operationHead) verb() (verb entity.Verb, code entity.Code, detail string) {
	method := h.method
	switch {
	case h.overrides == 0:
	case method != "POST":
		return 0, entity.MethodOverrideNotPost, "X-HTTP-Method requires POST"
	case h.overrides > 1:
		return 0, entity.MethodOverrideIncorrectCount, "repeated X-HTTP-Method"
	case !slices.Contains([]string{"PUT", "PATCH", "MERGE", "DELETE", "GET"}, h.override):
		return 0, entity.MethodOverrideIncorrectValue, "X-HTTP-Method has an unsupported method"
	default:
		method = h.override
	}
	switch method {
	case "POST":
		return entity.Insert, entity.OK, ""
	case "PUT":
		if h.hasIfMatch {
			return entity.Replace, entity.OK, ""
		}
		return entity.InsertOrReplace, entity.OK, ""
	case "PATCH", "MERGE":
		if h.hasIfMatch {
			return entity.Merge, entity.OK, ""
		}
		return entity.InsertOrMerge, entity.OK, ""
	case "DELETE":
		return entity.Delete, entity.OK, ""
	case "GET":
		return entity.Get, entity.OK, ""
	default:
		return 0, entity.MethodNotAllowed, "batch operation has an unknown method"
	}
}
