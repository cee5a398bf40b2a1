import { createRequire } from 'node:module'

/** A webhook as GitHub sends it. */
export interface Webhook {
  readonly event: string
  readonly body: string
}

interface Definition {
  readonly name: string
  readonly examples?: readonly unknown[]
}

const EDITIONS = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35']

/** Every payload of the corpus, of all editions of GitHub: every other one spread over lines, so that no parse goes unseen. */
export function allWebhooks(): readonly Webhook[] {
  const require = createRequire(import.meta.url)
  return EDITIONS.flatMap((edition) => {
    const definitions = require(
      `@octokit/webhooks-examples/${edition}/index.json`,
    ) as readonly Definition[]
    return definitions.flatMap(({ name, examples = [] }) =>
      examples.map((example, index) => ({
        event: name,
        body:
          index % 2 === 0 ? JSON.stringify(example) : ` ${JSON.stringify(example, null, 1)}\r\n`,
      })),
    )
  })
}
