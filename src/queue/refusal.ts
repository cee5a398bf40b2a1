/**
 * Codes of SQS and SNS after which trying again cannot help, as batch entries and exceptions bear them, without `AWS.`,
 * `SimpleQueueService.` and `Exception`. What is not listed passes: throttling, failures of the service and of the
 * network. docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html, and the pages of SendMessage,
 * SendMessageBatch (SQS), Publish and PublishBatch (SNS).
 */
const PERMANENT =
  /^(?:AccessDenied|AuthorizationError|BatchRequestTooLong|Invalid(?:Address|Attribute(?:Name|Value)|BatchEntryId|MessageContents|Parameter(?:Combination|Value)?|Security)|K(?:MS|ms)(?:AccessDenied|NotFound|Disabled|Invalid(?:KeyUsage|State)|OptInRequired)|MissingParameter|NonExistentQueue|NotFound|Queue(?:DoesNotExist|DeletedRecently)|UnsupportedOperation|Validation(?:Error)?)$/

/** One entry of a batch that was not accepted. */
export class EntryRefusedError extends Error {
  override readonly name = 'EntryRefusedError'
  readonly awsCode: string | undefined

  constructor(awsCode: string | undefined, message: string) {
    super(message)
    this.awsCode = awsCode
  }
}

/** It was not tried. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError'
}

/** Whether it is certain that the message was not taken: an answer that was lost may have been a yes. */
export function isCertain(error: Error): boolean {
  if (error instanceof NotSentError || isPermanent(error)) return true
  if (error instanceof EntryRefusedError) return error.awsCode !== undefined
  return '$fault' in error && error.$fault === 'client'
}

/** The code that AWS gave, as it gave it. */
function codeOf(error: Error): string | undefined {
  return error instanceof EntryRefusedError ? error.awsCode : error.name
}

/** Whether the same message to the same target will be refused again. */
export function isPermanent(error: Error): boolean {
  if ('code' in error && error.code === 'CONFIG') return true
  return PERMANENT.test(shortened(codeOf(error)))
}

/** The entries of a call are too long together; each may still be short enough by itself. */
export function isTooLongTogether(error: Error): boolean {
  return shortened(codeOf(error)) === 'BatchRequestTooLong'
}

function shortened(code = ''): string {
  return code.replace(/^(AWS\.)?(SimpleQueueService\.)?/, '').replace(/Exception$/, '')
}

/**
 * SQS has no message in flight under this handle: it was deleted, or is visible again. AWS answers the first (`Reason: Message
 * does not exist or is not available for visibility timeout change`), which may also say that a handle has expired; the others
 * are what the API's pages name, and what engines for tests answer.
 */
export function isGone(error: Error): boolean {
  const code = shortened(codeOf(error))
  if (code === 'InvalidParameterValue') return /message does not exist/i.test(error.message)
  return code === 'ReceiptHandleIsInvalid' || code === 'MessageNotInflight'
}
