package wire

import "loadgen/engine/entity"

// Message returns the service's text for a code, and a general one for a code
// that has none of its own.
func Message(code entity.Code) string {
	switch code {
	case entity.TableAlreadyExists:
		return "The table specified already exists."
	case entity.TableNotFound:
		return "The table specified does not exist."
	case entity.TableBeingDeleted:
		return "The specified table is being deleted. Try operation later."
	case entity.ResourceNotFound:
		return "The specified resource does not exist."
	case entity.EntityAlreadyExists:
		return "The specified entity already exists."
	case entity.ConditionNotSatisfied:
		return "The update condition specified in the request was not satisfied."
	case entity.InvalidDuplicateRow:
		return "The batch request contains multiple changes with same row key. " +
			"An entity can appear only once in a batch request."
	case entity.DifferentPartitions:
		return "All commands in a batch must operate on same entity group."
	case entity.ServerBusy:
		return "The server is currently unable to receive requests. Please retry your request."
	case entity.OperationTimedOut:
		return "The operation could not be completed within the permitted time."
	case entity.InternalError:
		return "The server encountered an internal error. Please retry the request."
	default:
		if text := requestMessage(code); text != "" {
			return text
		}
		return entityMessage(code)
	}
}

// requestMessage is about a request's form and its sender's rights.
func requestMessage(code entity.Code) string {
	switch code {
	case entity.AuthenticationFailed:
		return "Server failed to authenticate the request. Make sure the value of Authorization header " +
			"is formed correctly including the signature."
	case entity.AuthorizationFailure:
		return "This request is not authorized to perform this operation."
	case entity.AuthorizationPermission:
		return "This request is not authorized to perform this operation using this permission."
	case entity.AuthorizationProtocol:
		return "This request is not authorized to perform this operation using this protocol."
	case entity.AuthorizationSourceIP:
		return "This request is not authorized to perform this operation using this source IP."
	case entity.AuthorizationService:
		return "This request is not authorized to perform this operation using this service."
	case entity.AuthorizationResourceType:
		return "This request is not authorized to perform this operation using this resource type."
	case entity.CorsPreflightFailure:
		return "CORS not enabled or no matching rule found for this request."
	case entity.InvalidAuthenticationInfo:
		return "Authentication information is not given in the correct format. " +
			"Check the value of Authorization header."
	case entity.AtomFormatNotSupported:
		return "Atom format is not supported."
	case entity.MethodNotAllowed:
		return "The requested method is not allowed on the specified resource."
	case entity.MissingContentLength:
		return "The Content-Length header was not specified."
	case entity.MissingRequiredHeader:
		return "An HTTP header that's mandatory for this request is not specified."
	case entity.InvalidHeaderValue:
		return "The value for one of the HTTP headers is not in the correct format."
	case entity.InvalidURI:
		return "The requested URI does not represent any resource on the server."
	case entity.InvalidQueryParameterValue:
		return "Value for one of the query parameters specified in the request URI is invalid."
	case entity.NotImplemented:
		return "The requested operation is not implemented on the specified resource."
	case entity.RequestBodyTooLarge:
		return "The request body is too large and exceeds the maximum permissible limit."
	case entity.InvalidXMLDocument:
		return "XML specified is not syntactically valid."
	default:
		return ""
	}
}

// entityMessage is about what a body holds.
func entityMessage(code entity.Code) string {
	switch code {
	case entity.InvalidInput:
		return "One of the request inputs is not valid."
	case entity.OutOfRangeInput:
		return "One of the request inputs is out of range."
	case entity.InvalidResourceName:
		return "The specified resource name contains invalid characters."
	case entity.KeyValueTooLarge:
		return "The key is larger than the allowed size."
	case entity.PropertyNameInvalid:
		return "The property name is invalid."
	case entity.PropertyNameTooLong:
		return "The property name exceeds the maximum allowed length."
	case entity.PropertyValueTooLarge:
		return "The property value exceeds the maximum allowed size."
	case entity.PropertiesNeedValue:
		return "The values are not specified for all properties in the entity."
	case entity.TooManyProperties:
		return "The entity contains more properties than allowed."
	case entity.DuplicateProperties:
		return "A property is specified more than one time."
	case entity.EntityTooLarge:
		return "The entity is larger than the maximum allowed size."
	default:
		return "An error occurred while processing this request."
	}
}
