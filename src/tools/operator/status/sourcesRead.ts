import { messageOf } from '../../../library/base/errors.ts'

/** The sources of a look, each of which the role may not be allowed to read. */
export interface SourcesRead {
  /** @returns undefined: it is denied, and named in `unread`. Rejects with every other failure: then nothing is known */
  read<Answer>(source: string, ask: () => Promise<Answer>): Promise<Answer | undefined>
  /** What was not read, and why. */
  unread(): readonly string[]
  /** The first refusal. */
  denied(): unknown
}

/** One permission that is missing hides one source, and no other. */
export function sourcesRead(): SourcesRead {
  const denied = new Map<string, unknown>()
  return {
    async read(source, ask) {
      try {
        return await ask()
      } catch (error) {
        if (!/AccessDenied|AuthorizationError/.test(whyOf(error))) throw error
        denied.set(source, error)
        return undefined
      }
    },
    unread() {
      const reasons = Map.groupBy(denied, ([, error]) => whyOf(error))
      return [...reasons].map(
        ([why, sources]) =>
          `of the table: ${sources.map(([source]) => source).join(', ')} (${why})`,
      )
    },
    denied: () => [...denied.values()][0],
  }
}

function whyOf(error: unknown): string {
  let root = error
  while (root instanceof Error && root.cause instanceof Error) root = root.cause
  return messageOf(root)
}
