/** What stands in the editor of an answer. */
type ReadAnswer =
  | { readonly kind: 'empty' | 'wrong'; readonly says: string }
  | {
      readonly kind: 'answer'
      readonly answer: unknown
      /** The external id that it contains, as far as it is known; undefined: none. */
      readonly names: string | undefined
      readonly says: string
    }

/** @param externalIds those that the step waits for */
export function readAnswer(typed: string, externalIds: readonly string[]): ReadAnswer {
  if (typed.trim() === '')
    return { kind: 'empty', says: 'Nothing is sent before its plan is applied.' }
  let answer: unknown
  try {
    answer = JSON.parse(typed)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'wrong', says: `✖ This is not JSON: ${why}` }
  }
  const names = externalIds.find((id) => holds(answer, id))
  const says =
    names === undefined
      ? `It contains none of ${externalIds.join(', ') || 'the external ids'}: it is sent for the only open external id.`
      : `It contains ${names}. The step’s function validates it before it takes it.`
  return { kind: 'answer', answer, names, says }
}

function holds(value: unknown, id: string): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some((each) => holds(each, id))
  }
  return value === id
}
