package azure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Client names the implementation that sends requests and reads replies.
type Client string

// The clients. Native is this package's own: HTTP/1.1 at less than half of the CPU, without a proxy.
// ByNetHTTP is Go's net/http, as used by Azure's SDK: through the proxy of the environment, and over
// HTTP/2 if the service offers it. Auto is ByNetHTTP until a probe finds this module's own service
// without a proxy, and Native from then on.
const (
	Native    Client = "native"
	ByNetHTTP Client = "net/http"
	Auto      Client = "auto"
)

// Client returns which of the two sends: Native or ByNetHTTP.
func (t *Target) Client() Client {
	if t.native.Load() {
		return Native
	}
	return ByNetHTTP
}

// Proxy returns host and port of the proxy, empty for none.
func (t *Target) Proxy() string {
	if t.proxy == nil || t.native.Load() {
		return ""
	}
	return t.proxy.Host
}

// Socket returns the host and port to connect to: the proxy's, or the service's without a proxy.
func (t *Target) Socket() string {
	if t.Proxy() == "" {
		return t.address
	}
	if strings.HasPrefix(t.proxy.Scheme, "socks5") && t.proxy.Port() == "" {
		return net.JoinHostPort(t.proxy.Hostname(), "1080")
	}
	return Endpoint{scheme: t.proxy.Scheme, host: t.proxy.Host}.Socket()
}

// errProxy is the error of a proxy that rejects the request.
var errProxy = errors.New("the proxy")

// newTransport returns the transport of net/http to the target's service. It opens at most as many
// connections as the target keeps; more attempts wait for others to end.
func (t *Target) newTransport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	transport := &http.Transport{
		Proxy: http.ProxyURL(t.proxy), DialContext: t.dialer.plain,
		Protocols: protocols, DisableCompression: true,
		MaxConnsPerHost: t.pool.most, MaxIdleConnsPerHost: t.pool.most, IdleConnTimeout: idleFor,
		WriteBufferSize: connectionBuffer, ReadBufferSize: connectionBuffer, MaxResponseHeaderBytes: maxHead,
		OnProxyConnectResponse: func(_ context.Context, proxy *url.URL, _ *http.Request, reply *http.Response) error {
			switch reply.StatusCode {
			case http.StatusOK:
				return nil
			case http.StatusProxyAuthRequired:
				return fmt.Errorf("%w %s requires authentication (407); put user and password into HTTPS_PROXY", errProxy, proxy.Host)
			default:
				return fmt.Errorf("%w %s blocks the service (%d)", errProxy, proxy.Host, reply.StatusCode)
			}
		},
	}
	offers := []string{"http/1.1"}
	if t.client != Native {
		protocols.SetHTTP2(true)
		offers = []string{"h2", "http/1.1"}
	}
	transport.TLSClientConfig = t.dialer.tls.Clone()
	transport.TLSClientConfig.NextProtos = offers
	if t.proxy == nil {
		transport.Proxy = nil
		transport.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			return t.dialer.secure(ctx, network, address, offers...)
		}
	}
	return transport
}

// bodyBuffer is the read buffer for bodies without a length.
const bodyBuffer = 4 << 10

// exchangeOverNetHTTP sends the request of an attempt and reads the reply into the attempt.
func (t *Target) exchangeOverNetHTTP(ctx context.Context, a *attempt) error {
	w, response, err := t.beginOverNetHTTP(ctx, a)
	if err != nil {
		return err
	}
	defer w.end()
	defer response.Body.Close()
	w.mu.Lock()
	a.sent, a.answered, a.first = w.got, true, w.first
	w.mu.Unlock()
	r := &a.reply
	r.fill(response.StatusCode, response.Header)
	in := bufio.NewReaderSize(response.Body, bodyBuffer)
	switch length := response.ContentLength; {
	case length > maxReply:
		err = errReplyTooLong
	case length >= 0:
		err = r.readBytes(in, int(length), int(length))
	default:
		err = r.readToEnd(in)
	}
	if err != nil {
		return w.because(err)
	}
	// The size in HTTP/1.1.
	const statusLine, fieldEnds, end = len("HTTP/1.1 200 OK\r\n"), len(": \r\n"), len("\r\n")
	a.came = int64(statusLine + len(r.head) + fieldEnds*len(r.fields) + end + len(r.body))
	return nil
}
