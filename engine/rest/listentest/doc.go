// Package listentest has clients for tests that connect without a network, so that
// time can be made up for them and a server takes no more than is sent.
//
// Make a listener with [NewPipes], hand it to what is tested, and Dial. The caller
// closes what it dialled. Nothing but tests should import it.
package listentest
