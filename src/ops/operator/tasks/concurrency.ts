/** So many calls to the table at once: one after the other a sweep does not end in its time; all at once they throttle it. */
export const CONCURRENT_CALLS = 8

/**
 * Asks about so many at once, and gives the answers in the order of the questions. Nothing is asked ahead of a reader that has
 * stopped. A failed answer is thrown when its turn comes.
 */
export async function* mapInOrder<Question, Answer>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer>,
): AsyncGenerator<readonly [Question, Answer]> {
  const asked: Promise<Answer>[] = []
  for (const [turn, question] of questions.entries()) {
    while (asked.length < Math.min(turn + CONCURRENT_CALLS, questions.length)) {
      const answer = ask(questions[asked.length] as Question)
      // A reader that stops early never comes to it: its failure is nobody's then, and must not end the process.
      answer.catch(() => {})
      asked.push(answer)
    }
    yield [question, await (asked[turn] as Promise<Answer>)]
  }
}

/**
 * Takes one after the other from the source, and works on so many at once. Also when the source fails, what has been begun
 * ends first: a Lambda is frozen as soon as its handler has.
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
