import type { ConsumerSettings } from './options.ts'

/** docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html: six times the function's timeout, plus the window. */
export function warnOfShortVisibility(
  queueArn: string,
  visibilitySeconds: number,
  { functionTimeout, window, logger }: ConsumerSettings,
): void {
  const advised = Math.ceil((6 * functionTimeout + window) / 1_000)
  if (visibilitySeconds >= advised) return
  const refused = visibilitySeconds * 1_000 < functionTimeout
  logger.warn(
    refused
      ? 'The visibility timeout of the queue is shorter than the function may run: AWS refuses such a mapping.'
      : 'The visibility timeout of the queue is shorter than AWS advises: messages may be redelivered while they are processed.',
    { queueArn, visibilitySeconds, advisedSeconds: advised, functionTimeoutMs: functionTimeout },
  )
}
