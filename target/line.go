package target

import (
	"context"
	"encoding/binary"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/wire"
)

// Wire are the clients' options of the protocol. The zero value is minimal metadata, TCP_NODELAY and no compression.
type Wire struct {
	// Level is the metadata level of JSON replies.
	Level wire.Level
	// Nagle sends the head and the body of a request separately, with Nagle's algorithm.
	Nagle bool
	// Gzip reports that the client compresses Binary values, which takes [gzipTime].
	Gzip bool
	// Weighs sets the sizes of request and reply in outcomes.
	Weighs bool
}

// Assumed: Linux and Windows delay acknowledgements by 40 ms or more, and gzip takes 15 ns a
// byte at its fastest level.
const (
	delayedAck = 40 * time.Millisecond
	gzipTime   = 15 * time.Nanosecond
)

// wait returns the delay of a request in the client: its compression, and with Nagle's algorithm the acknowledgement of
// its head before a small body.
func (w *Wire) wait(op *Operation) (wait time.Duration) {
	if w.Nagle && op.hasBody() {
		wait = delayedAck
	}
	if !w.Gzip {
		return wait
	}
	wait += time.Duration(unzipped(op.Change.Properties)) * gzipTime
	for i := range op.Changes {
		wait += time.Duration(unzipped(op.Changes[i].Properties)) * gzipTime
	}
	return wait
}

func (op *Operation) hasBody() bool {
	switch {
	case op.Beside != nil:
		return len(op.Beside.Body) > 0
	default:
		return op.Verb == entity.Batch || op.Verb == entity.CreateTable || op.Verb.IsChange() && op.Verb != entity.Delete
	}
}

// unzipped returns how many bytes the compressed properties have without compression, which
// gzip writes into its last four bytes (RFC 1952).
func unzipped(properties []entity.Property) (bytes uint32) {
	for i := range properties {
		if properties[i].Value.Type() != entity.TypeBinary {
			continue
		}
		if b := properties[i].Value.Bytes(); len(b) > gzipFrame && b[0] == 0x1f && b[1] == 0x8b {
			bytes += binary.LittleEndian.Uint32(b[len(b)-4:])
		}
	}
	return bytes
}

// gzipFrame is how many bytes gzip puts around what it compresses.
const gzipFrame = 18

// Line is the network of the clients. It is safe for concurrent use.
type Line struct {
	wire       Wire
	bandwidth  int64
	loss       int64
	retransmit time.Duration
	chances    clock.Stream

	mu sync.Mutex
	// up and down are the times at which each machine has sent, and received, everything.
	up, down []clock.Instant
}

// NewLine returns the line of a valid model and of clients, nil where neither has one: no
// bandwidth, no packets that get lost, and the wire used as usual.
func NewLine(m *model.Model, seed uint64, w Wire) *Line {
	if m.ClientBandwidth == 0 && m.PacketLoss == 0 && w == (Wire{}) {
		return nil
	}
	return &Line{
		wire:      w,
		bandwidth: m.ClientBandwidth, loss: m.PacketLoss, retransmit: m.RetransmitTime,
		chances: clock.NewStream(seed, "line"),
		up:      make([]clock.Instant, m.ClientMachines), down: make([]clock.Instant, m.ClientMachines),
	}
}

// Sends returns when a request sent now arrives at the account, and its wait for others of its machine.
func (l *Line) Sends(now clock.Instant, op *Operation) (arrives clock.Instant, waits time.Duration) {
	if !crosses(op) {
		return now, 0
	}
	if now = now.Add(l.wire.wait(op)); l.bandwidth == 0 {
		return now, 0
	}
	return l.pass(l.up, now, op.Number, op.RequestBytes())
}

// Receives returns when a reply sent now arrives at the client, and its wait for others of its machine.
func (l *Line) Receives(now clock.Instant, op *Operation, o *Outcome) (comes clock.Instant, waits time.Duration) {
	if !crosses(op) {
		return now, 0
	}
	comes = now
	if l.wire.Weighs && o.Status != 0 {
		o.BytesOut, o.BytesIn = op.RequestBytes(), op.ReplyBytes(o, l.wire.Level)
	}
	if l.bandwidth > 0 && o.Status != 0 {
		comes, waits = l.pass(l.down, now, op.Number, op.ReplyBytes(o, l.wire.Level))
	}
	if l.loss == 0 {
		return comes, waits
	}
	// A sender waits for its time-out before it sends a lost packet again, and twice as long each
	// further time (RFC 6298, section 5.5).
	var cost time.Duration
	draw, wait := l.chances.Try(op.Number, op.Attempt), l.retransmit
	for range maxLosses {
		if draw.IntN(thousand) >= int(l.loss) {
			break
		}
		cost += wait
		wait *= 2
	}
	return comes.Add(cost), waits
}

// crosses reports whether a request leaves the machine: the stand-in of an application's own service is not behind
// this line.
func crosses(op *Operation) bool { return op.Beside == nil || op.Beside.Verb != Ask }

// pass sends bytes through a machine's pipe, after earlier ones.
func (l *Line) pass(pipes []clock.Instant, now clock.Instant, number uint64, bytes int64) (through clock.Instant, waits time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pipe := &pipes[number%uint64(len(pipes))]
	begins := max(now, *pipe)
	*pipe = begins.Add(time.Duration((bytes*int64(time.Second) + l.bandwidth - 1) / l.bandwidth))
	return *pipe, begins.Sub(now)
}

// maxLosses is the maximum number of consecutive losses of an attempt.
const maxLosses = 8

// thousand is the denominator of shares.
const thousand = 1000

// LiveLine is a blocking target behind a line. It is safe for concurrent use.
type LiveLine struct {
	inner Target
	line  *Line
	clock clock.Clock
}

var _ Target = (*LiveLine)(nil)

// WrapLine returns a blocking target behind a line, the target itself where the line is nil.
func WrapLine(inner Target, l *Line, clk clock.Clock) Target {
	if l == nil {
		return inner
	}
	return &LiveLine{inner, l, clk}
}

// Do implements [Target]. If the context ends while the request waits for the line, the inner target makes the outcome;
// later there is no reply.
func (l *LiveLine) Do(ctx context.Context, op *Operation) Outcome {
	arrives, before := l.line.Sends(l.clock.Now(), op)
	if err := l.clock.Sleep(ctx, arrives); err != nil {
		return l.inner.Do(ctx, op)
	}
	outcome := l.inner.Do(ctx, op)
	comes, after := l.line.Receives(l.clock.Now(), op, &outcome)
	outcome.LineWait = before + after
	return AwaitReply(ctx, l.clock, comes, outcome)
}
