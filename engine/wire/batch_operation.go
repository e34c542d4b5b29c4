package wire

import (
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
		return o, entity.InvalidInput, "a part of the batch is not an HTTP request"
	}
	if o.verb, code, detail = head.verb(); code != entity.OK {
		return o, code, detail
	}
	hasBody := o.verb != entity.Delete && o.verb != entity.Get
	if reply.Level, ok = ParseLevel(head.accept); !ok || hasBody && !acceptsBody(head.contentType) {
		return o, entity.AtomFormatNotSupported, "an operation of the batch does not speak JSON"
	}
	if o.verb == entity.Insert {
		reply.quiet = head.prefer == "return-no-content" || strings.EqualFold(head.prefer, "return-no-content")
		reply.Echo = !reply.quiet
	}
	if head.hasIfNoneMatch {
		return o, entity.InvalidInput, "If-None-Match has no meaning for an operation of a batch"
	}
	if o.match, code, detail = ParseMatch(head.ifMatch, head.hasIfMatch); code != entity.OK {
		return o, code, detail
	}
	o.body = body
	if head.target == b.target && b.target != "" {
		o.resource = b.resource
		return o, entity.OK, ""
	}
	if row, same := b.sameBut(head.target); same {
		o.resource = b.resource
		o.resource.Key.Row = row
		return o, entity.OK, ""
	}
	// A resource has no slash, since keys have none but escaped ones. A URL that ends with
	// its host names none.
	target := head.target
	target, _, _ = strings.Cut(target, "?")
	o.resource, code, detail = ParseResource(target[strings.LastIndexByte(target, '/')+1:])
	if code == entity.OK {
		b.target, b.resource, b.upToRow = head.target, o.resource, upToRow(head.target, o.resource.Key.Row)
	}
	return o, code, detail
}

// batchRowStart and rowEnd are what stands around the RowKey of a target, as all clients write
// it.
const batchRowStart, rowEnd = ",RowKey='", "')"

// upToRow returns where the RowKey of a target begins that is its last, and stands there
// as it is; 0 for nowhere.
func upToRow(target, row string) int {
	at := strings.LastIndex(target, batchRowStart) + len(batchRowStart)
	if at < len(batchRowStart) || target[at:] != row+rowEnd {
		return 0
	}
	return at
}

// sameBut returns the RowKey of a target that is the last one with another RowKey, of
// characters that stand for themselves.
func (b *BatchRequest) sameBut(target string) (row string, same bool) {
	if b.upToRow == 0 || !strings.HasPrefix(target, b.target[:b.upToRow]) {
		return "", false
	}
	row, ended := strings.CutSuffix(target[b.upToRow:], rowEnd)
	if !ended {
		return "", false
	}
	for i := range len(row) {
		if c := row[i]; byteKinds[c]&headerByte == 0 {
			return "", false
		}
	}
	return row, true
}

// usualHead is what nearly every part begins with.
const usualHead = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"

// read takes a part apart and returns the body, with whatever line ends follow
// it. Headers before the request line are those of the part, blank lines there
// count for nothing; the headers of a request without a body may end with it.
func (h *operationHead) read(part string, known *knownHead) (body string, ok bool) {
	if known.text != "" && strings.HasPrefix(part, known.text) {
		*h = known.head
		return h.readHeaders(part, part[len(known.text):], nil)
	}
	known.text = ""
	line, rest := cutLine(strings.TrimPrefix(part, usualHead))
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
	if h.overrides > 0 {
		if method, code, detail = h.overridden(); code != entity.OK {
			return 0, code, detail
		}
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
		return 0, entity.MethodNotAllowed, "an operation of the batch has a method that no operation has"
	}
}

// overridden returns the method that X-HTTP-Method puts in place of POST.
func (h *operationHead) overridden() (method string, code entity.Code, detail string) {
	switch {
	case h.method != "POST":
		return "", entity.MethodOverrideNotPost, "X-HTTP-Method stands beside another method than POST"
	case h.overrides > 1:
		return "", entity.MethodOverrideIncorrectCount, "X-HTTP-Method is given more than once"
	}
	switch h.override {
	case "PUT", "PATCH", "MERGE", "DELETE", "GET":
		return h.override, entity.OK, ""
	default:
		return "", entity.MethodOverrideIncorrectValue, "X-HTTP-Method names no method that can replace POST"
	}
}

// acceptsBody reports whether a body of that Content-Type can be read; one that
// is not given counts as JSON.
func acceptsBody(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	return media == "" || isJSON(media)
}
