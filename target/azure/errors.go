package azure

import "errors"

// The faults of an address and of a service that a run cannot use; test for
// them with errors.Is. None of them repeats a text that could be a secret.
var (
	// ErrConnectionString: the text is no connection string of a table service.
	ErrConnectionString = errors.New("azure: connection string")
	// ErrURL: the text is no address of a table service.
	ErrURL = errors.New("azure: service URL")
	// ErrOptions: the options of a target are at fault.
	ErrOptions = errors.New("azure: options")
	// ErrUnreachable: nothing answers at the address.
	ErrUnreachable = errors.New("azure: the service cannot be reached")
	// ErrAuthentication: the service does not accept the credential.
	ErrAuthentication = errors.New("azure: the service refuses the credential")
	// ErrClock: this machine's clock and the service's are too far apart for a
	// signature to be accepted.
	ErrClock = errors.New("azure: the clocks are too far apart")
	// ErrNotTables: something answers at the address that is no table service.
	ErrNotTables = errors.New("azure: not a table service")
)
