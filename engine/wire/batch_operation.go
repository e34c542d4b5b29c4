package wire

import (
	"slices"
	"strings"
	"unicode/utf8"

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

// open parses an operation's part except for the JSON, and appends to b.Parts what
// the reply needs, also if the operation has a fault.
func (b *BatchRequest) open(part string) (o operation, code entity.Code, detail string) {
	var head operationHead
	body, ok := head.read(part)
	b.Parts = append(b.Parts, BatchPart{ContentID: head.contentID, HasContentID: head.hasContentID})
	reply := &b.Parts[len(b.Parts)-1]
	if !ok {
		return o, entity.InvalidInput, "batch part is no HTTP request"
	}
	if o.verb, code, detail = head.verb(); code != entity.OK {
		return o, code, detail
	}
	// A missing type counts as JSON.
	media, _, _ := strings.Cut(head.contentType, ";")
	media = strings.TrimSpace(media)
	speaksJSON := o.verb == entity.Delete || o.verb == entity.Get || media == "" || strings.EqualFold(media, jsonMedia)
	if reply.Level, ok = ParseLevel(head.accept); !ok || !speaksJSON {
		return o, entity.AtomFormatNotSupported, "batch operation is not JSON"
	}
	if o.verb == entity.Insert {
		reply.quiet = strings.EqualFold(head.prefer, "return-no-content")
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

// resourceOf returns what the target of an operation names, as [ParseResource] does. It allocates nothing if the target differs from
// the one before only by a RowKey without escapes.
func (b *BatchRequest) resourceOf(target string) (r Resource, code entity.Code, detail string) {
	start, row, _ := strings.Cut(target, ",RowKey='")
	row, ended := strings.CutSuffix(row, "')")
	ended = ended && !strings.ContainsFunc(row, func(c rune) bool { return c >= utf8.RuneSelf || !unreserved(byte(c)) })
	if ended && start != "" && start == b.start {
		r = b.resource
		r.Key.Row = row
		return r, entity.OK, ""
	}
	// A resource has no slash, since keys have none but escaped ones. A URL that ends with
	// its host names none.
	path, _, _ := strings.Cut(target, "?")
	r, code, detail = ParseResource(path[strings.LastIndexByte(path, '/')+1:])
	if ended && code == entity.OK {
		b.start, b.resource = start, r
	}
	return r, code, detail
}

// defaultHead is what nearly every part begins with.
const defaultHead = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"

// read parses the head of a part and returns the body, with any line ends after it. Headers before the request line are the part's;
// blank lines there are skipped. The headers of a request without a body may end the part.
func (h *operationHead) read(part string) (body string, ok bool) {
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
	for line, rest = cutLine(rest); !isBlank(line); line, rest = cutLine(rest) {
		name, value, named := cutHeader(line)
		if !named {
			return "", false
		}
		h.set(name, value)
	}
	return rest, true
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
// that distinguishes an update from an upsert.
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
