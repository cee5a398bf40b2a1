interface ErrorViewProps {
  readonly error: string | undefined
  readonly stack: string | undefined
}

export function ErrorView({ error, stack }: ErrorViewProps) {
  return (
    <div class="error">
      {error !== undefined && <p class="tone-bad">{error}</p>}
      {stack !== undefined && (
        <details>
          <summary class="faint">Stack</summary>
          <pre>{stack}</pre>
        </details>
      )}
    </div>
  )
}
