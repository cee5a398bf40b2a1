import { Text } from './Text.tsx'

interface ErrorViewProps {
  readonly error: string | undefined
  readonly stack: string | undefined
}

export function ErrorView({ error, stack }: ErrorViewProps) {
  return (
    <div class="error">
      {error !== undefined && (
        <p class="tone-bad">
          <Text of={error} lines />
        </p>
      )}
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
