import { Duration, Token } from 'aws-cdk-lib'
import type { Construct, IConstruct } from 'constructs'
import { ConfigError } from '../../base/errors.ts'

/** Deferrals and delays by visibility also count as receives, although Lineclear does not count them as attempts. */
export const LEAST_RECEIVES = 10
/** The most that SQS allows. The age of a dead letter counts from its first queue. */
export const DEAD_LETTER_RETENTION: Duration = Duration.days(14)

/** @param least six times the function's timeout, plus the batching window. In seconds. */
export function checkVisibility(scope: Construct, seconds: number, least: number): void {
  if (Token.isUnresolved(seconds) || seconds >= least) return
  refuse(
    scope,
    'visibilityTimeout',
    `expected ${least} s or more, six times the timeout of the function plus the batching window; got ${seconds} s: ` +
      'messages would be delivered again while an attempt runs',
  )
}

export function checkReceives(scope: Construct, property: string, count: number): void {
  if (Token.isUnresolved(count) || (Number.isInteger(count) && count >= LEAST_RECEIVES)) return
  refuse(
    scope,
    property,
    `expected ${LEAST_RECEIVES} or more, because deferrals count as receives; got ${count}`,
  )
}

export function checkRetention(scope: Construct, retention: Duration, needed: number): void {
  const seconds = retention.toSeconds()
  if (seconds > needed && seconds < DEAD_LETTER_RETENTION.toSeconds()) return
  refuse(
    scope,
    'queueProps.retentionPeriod',
    `expected more than ${needed} s, the time of all receives, and less than the 14 days of the dead-letter queue; got ${seconds} s: ` +
      'failing messages would expire before an operator has seen them',
  )
}

/** One line: the path of the construct, the property, what was expected, what was given, and the cure. In a bundle classes have other names. */
export function refuse({ node: { path } }: IConstruct, property: string, words: string): never {
  throw new ConfigError(`lineclear/cdk: '${path}': ${property}: ${words}. Nothing was synthesised.`)
}
