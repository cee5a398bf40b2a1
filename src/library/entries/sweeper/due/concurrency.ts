/** Concurrent calls to the table. With one at a time a sweep would exceed its timeout; all at once would throttle the table. */
export const CONCURRENT_CALLS = 8

/**
 * Maps with up to CONCURRENT_CALLS calls at a time, and yields the results in the order of the inputs. Starts no call after the
 * reader has stopped. A rejection is thrown when its turn comes.
 */
export async function* mapInOrder<Question, Answer>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer>,
): AsyncGenerator<readonly [Question, Answer]> {
  const asked: Promise<Answer>[] = []
  for (const [turn, question] of questions.entries()) {
    while (asked.length < Math.min(turn + CONCURRENT_CALLS, questions.length)) {
      const answer = ask(questions[asked.length] as Question)
      // A reader that stops early never awaits it, and its rejection must not end the process as unhandled.
      answer.catch(() => {})
      asked.push(answer)
    }
    yield [question, await (asked[turn] as Promise<Answer>)]
  }
}

/**
 * Works on up to CONCURRENT_CALLS jobs of the source at a time. Waits for running jobs even when the source fails, because Lambda
 * freezes the process as soon as the handler returns.
 */
export async function forEachConcurrently<Job>(
  source: AsyncGenerator<Job>,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      await work(next.value)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENT_CALLS }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
