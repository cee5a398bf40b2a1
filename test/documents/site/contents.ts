/** A group of the site's pages. */
interface Group {
  readonly title: string
  /** Markdown files, from the root of the repository. The pages of the reference follow those of their group. */
  readonly paths: readonly string[]
}

/** The site's navigation, in the order in which a stranger needs it. */
export const CONTENTS: readonly Group[] = [
  {
    title: 'Start',
    paths: [
      'README.md',
      'src/library/entries/consumer/README.md',
      'src/library/README.md',
      'src/decisions.md',
    ],
  },
  { title: 'Tutorial', paths: ['examples/tutorial/README.md'] },
  {
    title: 'How to',
    paths: [
      'examples/README.md',
      'src/library/run/context/README.md',
      'src/library/entries/flow/README.md',
      'src/library/entries/call/README.md',
      'src/library/entries/call/invocation/README.md',
      'src/library/entries/consumer/returned/README.md',
      'src/library/features/sql/README.md',
      'src/library/features/delay/README.md',
      'src/library/features/circuitBreaker/README.md',
      'src/library/features/payloads/README.md',
      'src/library/protocol/record/events/README.md',
      'src/library/features/tracing/README.md',
      'src/testing/README.md',
      'src/tools/console/dev/README.md',
      'src/tools/cdk/README.md',
      'src/library/entries/consumer/managed.md',
      'examples/assistants/README.md',
      'examples/migrating/README.md',
      'examples/wild/README.md',
    ],
  },
  {
    title: 'Reference',
    paths: [
      'src/library/run/deliver/README.md',
      'src/library/base/limits/README.md',
      'src/library/protocol/store/formats.md',
    ],
  },
  {
    title: 'Operating',
    paths: [
      'src/tools/README.md',
      'src/tools/practice.md',
      'src/tools/console/README.md',
      'src/tools/doctor/README.md',
    ],
  },
  {
    title: 'How it is built',
    paths: [
      'src/README.md',
      'src/library/protocol/README.md',
      'src/library/protocol/store/README.md',
      'src/library/protocol/claim/README.md',
      'src/library/adapters/README.md',
      'src/library/adapters/store/README.md',
      'src/library/run/README.md',
      'src/library/features/README.md',
      'src/library/entries/README.md',
      'test/README.md',
      'test/bench/README.md',
      'test/proof/histories/README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ],
  },
]
