package rest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"

	"loadgen/engine/clock"
)

// secured is a connection over TLS. net/http asks for its state before it reads, in
// the goroutine of the connection, and shows it to handlers.
type secured struct {
	*connection
	tls *tls.Conn
}

// secure returns the connection of a socket that speaks TLS.
func secure(socket net.Conn, config *tls.Config) *secured {
	outer := tls.Server(socket, config)
	return &secured{&connection{Conn: outer, socket: socket}, outer}
}

// ConnectionState shakes hands, within HeaderTime. Where that fails, so does all
// that is read from then on.
func (s *secured) ConnectionState() tls.ConnectionState {
	_ = s.tls.SetDeadline(clock.NewReal().Started().Add(HeaderTime))
	err := s.tls.Handshake()
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) && plain.Conn != nil && startsLikeHTTP(plain.RecordHeader) {
		_, _ = io.WriteString(plain.Conn, "HTTP/1.0 400 Bad Request\r\nConnection: close\r\n\r\nThis port speaks https, not http.\n")
		_ = plain.Conn.Close()
	}
	if err != nil {
		_ = s.socket.Close()
	}
	_ = s.tls.SetDeadline(time.Time{})
	return s.tls.ConnectionState()
}

// startsLikeHTTP reports whether what stands in the place of a record of TLS is a
// method.
func startsLikeHTTP(header [5]byte) bool {
	switch string(header[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "MERGE", "PATCH", "DELET", "OPTIO":
		return true
	}
	return false
}
