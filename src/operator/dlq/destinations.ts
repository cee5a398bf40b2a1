import type { SQSClient } from '@aws-sdk/client-sqs'
import { ConfigError } from '../../errors.ts'
import { sourcesOf } from '../../queue/queueReader.ts'
import { urlOf } from './deadLetterQueue.ts'
import { type Letter, movedFrom } from './letter.ts'

/** URL of the queue that a letter goes back to; undefined: neither it nor SQS tells. */
export type FindDestination = (letter: Letter) => Promise<string | undefined>

/**
 * The queue that is given; else the one from which SQS moved the letter, or where its consumer gave it up; else the only one
 * whose dead letters go to the queue that it is on.
 * @param to name, URL or ARN
 * @throws QueueNotFoundError @throws ConfigError when a letter would go where it is
 */
export async function findDestinations(
  sqs: SQSClient,
  to: string | undefined,
): Promise<FindDestination> {
  const given = to === undefined ? undefined : await urlOf(sqs, to)
  const urlFor = remembered((arn) => urlOf(sqs, arn))
  const onlySourceOf = remembered(async (arn) => {
    const sources = await sourcesOf(sqs, await urlFor(arn))
    return sources?.length === 1 ? sources[0] : undefined
  })
  return async ({ record, envelope }) => {
    const { eventSourceARN: home } = record
    if (given !== undefined) return elsewhere(given, home)
    const source = movedFrom(record) ?? envelope.carried.source
    if (source !== undefined) return elsewhere(await urlFor(source), home)
    return home === '' ? undefined : onlySourceOf(home)
  }
}

/** A letter that goes back where it lies would be found there again, and again. */
function elsewhere(url: string, home: string): string {
  const path = home.split(':').slice(4).join('/')
  if (path === '' || !url.endsWith(`/${path}`)) return url
  throw new ConfigError(
    `the letters lie on ${url} already. Nothing was sent. Give --to another queue`,
  )
}

function remembered<T>(ask: (arn: string) => Promise<T>): (arn: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>()
  return (arn) => {
    const known = answers.get(arn) ?? ask(arn)
    answers.set(arn, known)
    return known
  }
}
