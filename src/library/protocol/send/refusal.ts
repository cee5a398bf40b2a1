import { hasCode } from '../../base/errors.ts'

/**
 * Codes of SQS, SNS and EventBridge after which a retry cannot help, in batch entries and exceptions, without `AWS.`, `SimpleQueueService.` and
 * `Exception`. Other codes pass: throttling, failures of the service and of the network.
 * docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html, and the pages of SendMessage,
 * SendMessageBatch (SQS), Publish and PublishBatch (SNS), PutEvents (EventBridge).
 */
const PERMANENT =
  /^(?:AccessDenied|AuthorizationError|BatchRequestTooLong|Invalid(?:Address|Argument|Attribute(?:Name|Value)|BatchEntryId|MessageContents|Parameter(?:Combination|Value)?|Security)|K(?:MS|ms)(?:AccessDenied|NotFound|Disabled|Invalid(?:KeyUsage|State)|OptInRequired)|M(?:alformedDetail|issingParameter)|N(?:onExistentQueue|otAuthorizedForSource|otFound)|ResourceNotFound|Queue(?:DoesNotExist|DeletedRecently)|UnsupportedOperation|Validation(?:Error)?)$/

/** An entry of a batch that was not accepted. */
export class EntryRefusedError extends Error {
  override readonly name = 'EntryRefusedError'
  readonly awsCode: string | undefined

  constructor(awsCode: string | undefined, message: string) {
    super(message)
    this.awsCode = awsCode
  }
}

/** The message was not sent, because an earlier one was not accepted. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError'
}

/** Whether the message was certainly not accepted. If the answer was lost, it may have been accepted. */
export function isCertain(error: Error): boolean {
  if (error instanceof NotSentError || isPermanent(error)) return true
  // The payload was not stored, so the message was not sent: it is sent only after its payload.
  if (hasCode(error, 'STORE_UNAVAILABLE')) return true
  if (error instanceof EntryRefusedError)
    return (
      // @protects a lost answer is not taken for a refusal
      // @without true
      error.awsCode !== undefined
    )
  return '$fault' in error && error.$fault === 'client'
}

/** The error code from AWS. */
function awsCodeOf(error: Error): string | undefined {
  return error instanceof EntryRefusedError ? error.awsCode : error.name
}

/** Whether the same message to the same target would be refused again. */
export function isPermanent(error: Error): boolean {
  if ('code' in error && error.code === 'CONFIG') return true
  return PERMANENT.test(shortened(awsCodeOf(error)))
}

/** Whether the entries of a call are too large together. Each one alone may be small enough. */
export function isTooLongTogether(error: Error): boolean {
  return shortened(awsCodeOf(error)) === 'BatchRequestTooLong'
}

function shortened(code = ''): string {
  return code.replace(/^(AWS\.)?(SimpleQueueService\.)?/, '').replace(/Exception$/, '')
}

/**
 * Whether SQS has no message in flight under this handle: it was deleted, or is visible again. AWS answers
 * `InvalidParameterValue` (`Reason: Message does not exist or is not available for visibility timeout change`), also for an
 * expired handle. The other codes are in the API reference, and emulators return them.
 */
export function isGone(error: Error): boolean {
  const code = shortened(awsCodeOf(error))
  if (code === 'InvalidParameterValue')
    return (
      // @protects another refusal does not say that a message is gone
      // @without true
      /message does not exist/i.test(error.message)
    )
  return code === 'ReceiptHandleIsInvalid' || code === 'MessageNotInflight'
}
