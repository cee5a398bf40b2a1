import { valueOf } from '../../address.ts'
import type { ApiError, Common } from '../../api.ts'
import { address } from '../../route.ts'
import { type Letter, type Letters, seenLetter } from './answers.ts'
import { useLook } from './look.tsx'

interface Shown {
  readonly letter: Letter | undefined
  readonly answer: (Common & Letters) | undefined
  readonly failure: ApiError | undefined
  readonly loading: boolean
  /** The person has to ask: it costs something. */
  readonly isAsked: boolean
  ask(): void
  refresh(): void
}

/**
 * The dead letter that the URL names.
 * @param body with its body
 */
export function useLetter(body: boolean): Shown {
  const { query } = address.value
  const id = valueOf(query['letter'])
  const seen = body ? undefined : seenLetter(id)
  const asked = { queue: query['queue'], id, ...(body && { body: '1' }) }
  const look = useLook<Letters>('letters', asked, seen === undefined)
  return {
    ...look,
    isAsked: seen !== undefined || look.isAsked,
    letter: seen ?? look.answer?.letters[0],
  }
}
