import { ConfigError, toError } from '../../base/errors.ts'
import { hasNoAnswer, type ReadOutcome } from '../../protocol/store/store.ts'

/** What another system knows of a request that nothing here has begun. */
export type KnownElsewhere = 'done' | 'running' | 'new'

export type Elsewhere =
  | { readonly kind: KnownElsewhere }
  /** The table did not answer, so it is not known whether the request was begun here. */
  | { readonly kind: 'unread'; readonly error: Error }
  | { readonly kind: 'not known'; readonly error: Error }

interface Question {
  /** The request's token. */
  readonly read: () => Promise<ReadOutcome>
  /** The option `alreadyDone`; undefined: no answer in time. */
  readonly answer: () => Promise<{ readonly known: unknown } | undefined>
}

/** Asks the option `alreadyDone`, but never about a request that was begun here. */
export async function askElsewhere({ read, answer }: Question): Promise<Elsewhere> {
  const before = await read()
  if (hasNoAnswer(before)) return { kind: 'unread', error: before.error }
  // @protects a request that was begun here is not left to what ran before
  if (before.item !== undefined) return { kind: 'new' }
  const said = await answerOf(answer)
  if (said.kind !== 'done') return said
  const after = await read()
  if (hasNoAnswer(after)) return { kind: 'unread', error: after.error }
  // @protects a request that was begun here while the other side was asked is not dropped by its answer
  // @without said
  return after.item === undefined ? said : { kind: 'new' }
}

async function answerOf(answer: Question['answer']): Promise<Elsewhere> {
  try {
    const answered = await answer()
    if (answered === undefined) throw new Error('alreadyDone: no answer in time')
    const { known } = answered
    if (known === 'done' || known === 'running' || known === 'new') return { kind: known }
    throw new ConfigError(
      `alreadyDone: expected 'done', 'running' or 'new'; got ${JSON.stringify(known) ?? typeof known}`,
    )
  } catch (thrown) {
    // @protects a request is not run while it is not known whether it was done
    // @without return { kind: 'new' }
    return { kind: 'not known', error: toError(thrown) }
  }
}
