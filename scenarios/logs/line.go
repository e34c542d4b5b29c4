package logs

import (
	"strings"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
)

// line is what of an entry waits to be put in order: a third of its size, with one text of
// its own.
type line struct {
	at                                    entity.Ticks
	endToEnd, server                      time.Duration
	request, response, top, entities      int64
	operation, status, table, class, form string
	// text holds PartitionKey, RowKey, the client's id, and a query's filter.
	text                            string
	partition, row, client          uint32
	http                            int16
	verb                            entity.Verb
	keyed, keyedRow, exact, further bool
}

// pack keeps of an entry what is asked for later.
func (l *line) pack(e *accesslog.Entry, shared *labels) {
	var text strings.Builder
	text.Grow(len(e.Key.Partition) + len(e.Key.Row) + len(e.ClientID) + len(e.Filter))
	text.WriteString(e.Key.Partition)
	text.WriteString(e.Key.Row)
	text.WriteString(e.ClientID)
	text.WriteString(e.Filter)
	*l = line{at: e.At, endToEnd: e.EndToEnd, server: e.Server, request: e.RequestPacket, response: e.ResponsePacket, top: e.Top, entities: e.Entities,
		operation: shared.of(e.Operation), status: shared.of(e.Status), table: shared.of(e.Table), class: shared.of(e.Class), form: shared.of(e.Shape),
		text: text.String(), partition: uint32(len(e.Key.Partition)), row: uint32(len(e.Key.Row)), client: uint32(len(e.ClientID)), http: int16(e.HTTP), verb: e.Verb,
		keyed: e.Keyed, keyedRow: e.KeyedRow, exact: e.Exact, further: e.Further}
}

// labels keep one copy of each text that stands in many lines.
type labels struct{ known map[string]string }

// mostLabels is how many are kept; others have a copy for each line.
const mostLabels = 1 << 12

func (s *labels) of(text string) string {
	if text == "" {
		return ""
	}
	if own, some := s.known[text]; some {
		return own
	}
	own := strings.Clone(text)
	if s.known == nil {
		s.known = make(map[string]string)
	}
	if len(s.known) < mostLabels {
		s.known[own] = own
	}
	return own
}
