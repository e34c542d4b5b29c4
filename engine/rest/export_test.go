package rest

import (
	"net"
	"net/http"
)

// ServeOn serves on whatever listens.
func ServeOn(listener net.Listener, h http.Handler) *Server { return serveOn(listener, h) }

// The bounds on a client's time.
const (
	HeaderTime = headerTime
	ReadTime   = readTime
)
