package queueblob

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"loadgen/engine/entity"
	"loadgen/target"
)

// The limits of the services.
const (
	// MaxMessage is the maximum size of a message in bytes: 64 KiB, the limit of the
	// service, as base64.
	MaxMessage = 48 << 10
	// MaxBlob is the maximum size of a blob in bytes; the service allows more.
	MaxBlob = 64 << 20

	maxReceived = 32
	maxOnPage   = 5000
	maxHidden   = 7 * 24 * time.Hour
	maxName     = 1024
	maxMetadata = 8 << 10
	maxMarker   = 8 << 10
)

// The codes of queues and blobs.
const (
	queueExists        entity.Code = "QueueAlreadyExists"
	containerExists    entity.Code = "ContainerAlreadyExists"
	queueNotFound      entity.Code = "QueueNotFound"
	messageNotFound    entity.Code = "MessageNotFound"
	messageTooLarge    entity.Code = "MessageTooLarge"
	popReceiptMismatch entity.Code = "PopReceiptMismatch"
	containerNotFound  entity.Code = "ContainerNotFound"
	blobNotFound       entity.Code = "BlobNotFound"
	blobAlreadyExists  entity.Code = "BlobAlreadyExists"
	conditionNotMet    entity.Code = "ConditionNotMet"
	outOfRangeQuery    entity.Code = "OutOfRangeQueryParameterValue"
	invalidMetadata    entity.Code = "InvalidMetadata"
)

// unfit returns the answer to a request that a service would reject.
func unfit(status int, code entity.Code, format string, args ...any) (answer target.Outcome, sound bool) {
	return target.Outcome{Status: status, Code: code, Detail: fmt.Sprintf(format, args...)}, false
}

// checkLimits checks a request against the limits. If it breaks one, sound is false, and answer
// is the reply.
func checkLimits(b *target.Beside) (answer target.Outcome, sound bool) {
	if b == nil || b.Verb < target.PutMessage || b.Verb > target.Ask {
		return unfit(400, entity.InvalidInput, "not a request to a queue, container or service")
	}
	if !storeName(b.Store) {
		return unfit(400, entity.InvalidResourceName, "name of the queue, container or service %q: expected 3 to 63 lower-case letters, digits and single hyphens", clip(b.Store))
	}
	switch b.Verb {
	case target.PutMessage:
		return heldMessage(b, 0)
	case target.ReceiveMessages:
		if b.Most < 0 || b.Most > maxReceived {
			return unfit(400, outOfRangeQuery, "%d messages requested; expected 1 to %d", b.Most, maxReceived)
		}
		return heldMessage(b, time.Second)
	case target.DeleteMessage:
		if !messageName(b.Name) || !visible(b.Receipt) {
			return unfit(400, entity.InvalidInput, "deleting a message needs the id and pop receipt from its queue")
		}
	case target.PutBlob:
		return heldBlob(b)
	case target.ListBlobs:
		if b.Most < 0 || b.Most > maxOnPage {
			return unfit(400, outOfRangeQuery, "%d blobs requested; expected 1 to %d", b.Most, maxOnPage)
		}
		if !plain(b.Name) || !plain(b.After) || !readable(b.Marker, maxMarker) {
			return unfit(400, entity.InvalidURI, "prefix, name or marker: expected at most %d valid characters", maxName)
		}
	case target.GetBlob, target.DeleteBlob:
		if !blobName(b.Name) {
			return unfit(400, entity.InvalidURI, badBlob, clip(b.Name), maxName)
		}
	case target.Ask:
		return heldQuestion(b)
	}
	return target.Outcome{}, true
}

const badBlob = "blob name %q: expected 1 to %d bytes without backslashes, control characters, empty parts or parts that end with a dot"

// heldMessage checks requests to put and to receive messages.
func heldMessage(b *target.Beside, least time.Duration) (target.Outcome, bool) {
	switch {
	case b.Hidden < least || b.Hidden > maxHidden:
		return unfit(400, outOfRangeQuery, "it is hidden for %v; expected %v to %v", b.Hidden, least, maxHidden)
	case len(b.Body) > MaxMessage:
		return unfit(413, messageTooLarge, "the message has %d bytes; expected at most %d, 64 KiB in base64", len(b.Body), MaxMessage)
	}
	return target.Outcome{}, true
}

// heldBlob checks a blob to write.
func heldBlob(b *target.Beside) (target.Outcome, bool) {
	size := 0
	// Lower case only: headers lose capitals.
	named := func(c rune) bool { return smallOrDigit(c) || c == '_' }
	for name, value := range b.Metadata {
		size += len(name) + len(value)
		if name == "" || '0' <= name[0] && name[0] <= '9' || !only(name, named) ||
			!visible(strings.ReplaceAll(value, " ", "_")) || strings.TrimSpace(value) != value {
			return unfit(400, invalidMetadata,
				"metadata: expected names of lower-case letters, digits and underscores, values of printable ASCII")
		}
	}
	switch {
	case !blobName(b.Name):
		return unfit(400, entity.InvalidURI, badBlob, clip(b.Name), maxName)
	case size > maxMetadata:
		return unfit(400, "MetadataTooLarge", "the metadata has %d bytes; expected at most %d", size, maxMetadata)
	case b.Match != "" && !visible(b.Match):
		return unfit(400, entity.InvalidHeaderValue, "the condition is no ETag")
	case len(b.Body) > MaxBlob:
		return unfit(413, entity.RequestBodyTooLarge, "the blob has %d bytes; expected at most %d", len(b.Body), MaxBlob)
	}
	return target.Outcome{}, true
}

// heldQuestion checks a request to the application's own service.
func heldQuestion(b *target.Beside) (target.Outcome, bool) {
	switch {
	case b.Takes < 0 || b.Takes > target.MaxTaken:
		return unfit(400, entity.InvalidInput, "the service takes %v; expected 0s to %v", b.Takes, target.MaxTaken)
	case b.AtOnce < 0 || b.AtOnce > target.MaxAtOnce:
		return unfit(400, entity.InvalidInput, "concurrency %d: expected 0 (unlimited) to %d", b.AtOnce, target.MaxAtOnce)
	}
	return target.Outcome{}, true
}

// wholeSeconds rounds up: a message is hidden for whole seconds.
func wholeSeconds(d time.Duration) time.Duration { return (d + time.Second - 1).Truncate(time.Second) }

// maxListed returns the maximum number of blobs in a list.
func maxListed(b *target.Beside) int {
	return cmp.Or(b.Most, maxOnPage)
}

func storeName(name string) bool {
	if len(name) < 3 || len(name) > 63 || strings.Contains(name, "--") || strings.Trim(name, "-") != name {
		return false
	}
	return only(name, func(c rune) bool { return smallOrDigit(c) || c == '-' })
}

func messageName(id string) bool {
	return id != "" && len(id) <= maxName && only(id, func(c rune) bool { return smallOrDigit(c|0x20) || c == '-' })
}

// visible reports whether a text has only visible ASCII characters and is not empty.
func visible(text string) bool {
	return text != "" && len(text) <= maxMetadata && only(text, func(c rune) bool { return c > ' ' && c < 0x7F })
}

// blobName reports whether a text is a valid name of a blob: its URL is unambiguous.
func blobName(name string) bool {
	if name == "" || !plain(name) || strings.Contains(name, `\`) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasSuffix(part, ".") {
			return false
		}
	}
	return true
}

func plain(text string) bool { return readable(text, maxName) }

// readable reports whether a text is valid UTF-8 without control characters, within a length in
// bytes.
func readable(text string, most int) bool {
	return len(text) <= most && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func smallOrDigit(c rune) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

func only(text string, is func(c rune) bool) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return !is(c) })
}

// clip shortens a text for a message.
func clip(text string) string { return text[:min(len(text), 80)] }
