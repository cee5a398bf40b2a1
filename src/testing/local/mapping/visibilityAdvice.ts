import type { ConsumerSettings } from './options.ts'

/**
 * docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html: six times the function's timeout, plus the window.
 * @returns seconds
 */
export function advisedVisibility({
  functionTimeout,
  window,
}: Pick<ConsumerSettings, 'functionTimeout' | 'window'>): number {
  return Math.ceil((6 * functionTimeout + window) / 1_000)
}

export function warnOfShortVisibility(
  queueArn: string,
  visibilitySeconds: number,
  settings: ConsumerSettings,
): void {
  const { functionTimeout, logger } = settings
  const advised = advisedVisibility(settings)
  if (visibilitySeconds >= advised) return
  const refused = visibilitySeconds * 1_000 < functionTimeout
  logger.warn(
    refused
      ? 'The visibility timeout of the queue is shorter than the function may run: AWS refuses such a mapping.'
      : 'The visibility timeout of the queue is shorter than AWS advises: messages may be redelivered while they are processed.',
    { queueArn, visibilitySeconds, advisedSeconds: advised, functionTimeoutMs: functionTimeout },
  )
}
