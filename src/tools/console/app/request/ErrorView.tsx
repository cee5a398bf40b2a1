import { Text } from '../parts/Text.tsx'

interface ErrorViewProps {
  readonly error: string | undefined
  /** One frame or cause a line. */
  readonly stack: string | undefined
}

/** An error, with its stack folded. */
export function ErrorView({ error, stack }: ErrorViewProps) {
  if (error === undefined) return null
  return (
    <div class="error">
      <p class="tone-bad">
        <Text of={error} lines />
      </p>
      {stack !== undefined && (
        <details>
          <summary class="faint">Stack</summary>
          <pre>
            <Text of={stack} lines />
          </pre>
        </details>
      )}
    </div>
  )
}
