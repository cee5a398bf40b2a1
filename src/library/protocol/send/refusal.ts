import { hasCode } from '../../base/errors.ts'

/**
 * Codes of SQS, SNS and EventBridge, in batch entries and exceptions, without `AWS.`, `SimpleQueueService.` and `Exception`.
 * docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html, and the pages of SendMessage,
 * SendMessageBatch (SQS), Publish and PublishBatch (SNS), PutEvents (EventBridge).
 *
 * `PERMANENT`: the message itself can never be taken. `SET_UP`: the target is missing, closed to this role or its key is off, which
 * a deployment ends. Other codes pass by themselves: throttling, failures of the service and of the network.
 */
const PERMANENT =
  /^(?:BatchRequestTooLong|Invalid(?:Argument|Attribute(?:Name|Value)|BatchEntryId|MessageContents|Parameter(?:Combination|Value)?)|M(?:alformedDetail|issingParameter)|UnsupportedOperation|Validation(?:Error)?)$/
const SET_UP =
  /^(?:AccessDenied|AuthorizationError|Invalid(?:Address|Security)|K(?:MS|ms)\.?(?:AccessDenied|NotFound|Disabled|Invalid(?:KeyUsage|State)|OptInRequired)|N(?:onExistentQueue|otAuthorizedForSource|otFound)|ResourceNotFound|Queue(?:DoesNotExist|DeletedRecently))$/

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
  if (error instanceof NotSentError || isPermanent(error) || isSetUp(error)) return true
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

/** Whether the same message to the same target would be refused again, whatever is deployed beside it. */
export function isPermanent(error: Error): boolean {
  return hasCode(error, 'CONFIG') || isOfMessage(error)
}

/** Whether the target may not, or cannot, be used as it is set up now. */
export function isSetUp(error: Error): boolean {
  return SET_UP.test(shortened(awsCodeOf(error)))
}

/** Whether one entry of a call may be the only reason for its failure: it is unknown what failed, or AWS refused a message. */
export function mayBeOfOneEntry(error: Error): boolean {
  return !isCertain(error) || isOfMessage(error) || isGone(error)
}

function isOfMessage(error: Error): boolean {
  return PERMANENT.test(shortened(awsCodeOf(error)))
}

/** Whether the entries of a call are too large together. Each one alone may be small enough. */
export function isTooLongTogether(error: Error): boolean {
  return shortened(awsCodeOf(error)) === 'BatchRequestTooLong'
}

/** The size that a refusal names, bytes: `Message must be shorter than 262144 bytes`. undefined: it is about something else. */
export function limitIn({ message }: Error): number | undefined {
  const [, bytes] = /(?:shorter|longer|exceed\w*) (?:than )?(\d+) bytes/.exec(message) ?? []
  return bytes === undefined ? undefined : Number(bytes)
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
