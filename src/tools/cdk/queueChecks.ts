import { Duration } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import { ConfigError } from '../../library/base/errors.ts'

/** The most that SQS allows. The age of a dead letter counts from its first queue. */
export const DEAD_LETTER_RETENTION: Duration = Duration.days(14)

/** One line: the path of the construct, the property, what was expected, what was given, and the cure. In a bundle classes have other names. */
export function refuseConstruct({ node: { path } }: IConstruct, words: string): never {
  throw new ConfigError(`lineclear/cdk: '${path}': ${words}. Nothing was synthesised.`)
}
