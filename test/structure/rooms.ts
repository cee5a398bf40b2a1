/** A folder of `src`, or a single file that stands apart. What is not listed belongs to the nearest listed folder above it. */
export interface Room {
  /** From `src`; '.' holds the files at the top. */
  readonly path: string
  /** Packages that its code loads, beside those of `EVERYWHERE`; 'any' for what only runs on a developer's machine. */
  readonly packages?: readonly string[] | 'any'
  /**
   * It only computes from its arguments: no clock, randomness, environment, timer or log, and nothing to wait
   * for. It imports values from pure files only. A file of it that begins with the comment `@acts` is free of this.
   */
  readonly pure?: true
}

const BROWSER = ['preact', 'preact/hooks', '@preact/signals']

/**
 * All rooms, in order: each imports from those above it, never from one below, types included. Rooms of one row do not
 * know each other, unless one stands in the other. No files and no folders form a
 * cycle; an `index.ts` is a door that stands before its folder.
 */
export const ROOMS: readonly (readonly Room[])[] = [
  [{ path: 'library/base', pure: true, packages: ['ulid'] }],
  [{ path: 'library/base/limits', pure: true }],
  [{ path: 'library/protocol/store', pure: true }],
  [{ path: 'library/protocol/store/wire', pure: true }],
  [{ path: 'library/protocol/record/envelope', pure: true }],
  [{ path: 'library/protocol/record/message', pure: true }],
  [{ path: 'library/protocol/record/events', pure: true }],
  [{ path: 'library/protocol/send', pure: true }],
  [{ path: 'library/protocol/claim', pure: true }],
  [{ path: 'library/protocol/claim/token', pure: true }],
  [{ path: 'library/protocol/claim/stage', pure: true }],
  [{ path: 'library/protocol/claim/awaiting', pure: true }],
  [
    { path: 'library/adapters/store/memory' },
    {
      path: 'library/adapters/store/dynamodb',
      packages: ['@aws-sdk/client-dynamodb', 'node:fs', 'node:https'],
    },
    {
      path: 'library/adapters/send',
      packages: ['@aws-sdk/client-sqs', '@aws-sdk/client-sns', '@aws-sdk/client-eventbridge'],
    },
  ],
  [{ path: 'library/run/context/guard', pure: true }],
  [{ path: 'library/run/context/results' }],
  [{ path: 'library/run/context' }],
  [{ path: 'library/run/deliver' }],
  // The kernel ends here: it knows no feature.
  [{ path: 'library/features/metrics', pure: true }],
  [
    { path: 'library/features/payloads' },
    { path: 'library/features/delay', pure: true },
    { path: 'library/features/tracing', pure: true },
    { path: 'library/features/circuitBreaker' },
    { path: 'library/features/mapping' },
    { path: 'library/features/sql', packages: ['node:async_hooks'], pure: true },
  ],
  [
    { path: 'library/features/tracing/openTelemetry', packages: ['@opentelemetry/api'] },
    { path: 'library/features/s3', packages: ['@aws-sdk/client-s3'] },
  ],
  [{ path: 'library/entries/consumer' }, { path: 'library/entries/producer' }],
  [{ path: 'library/entries/consumer/returned' }],
  [{ path: 'library/entries/flow' }],
  [{ path: 'library/entries/status' }],
  [{ path: 'library/entries/call/http', pure: true }],
  [{ path: 'library/entries/call' }],
  [{ path: 'library/entries/call/middy' }],
  [{ path: 'library/entries/call/invocation' }],
  [{ path: 'library/entries/sweeper/address.ts', pure: true }],
  [{ path: 'library/entries/sweeper/due' }, { path: 'library/entries/sweeper/audit' }],
  [{ path: 'library/entries/sweeper/pause', pure: true }],
  [{ path: 'library/entries/sweeper/search', pure: true }],
  [{ path: 'library/entries/sweeper' }],
  [{ path: 'library/index.ts' }],
  [{ path: 'testing/events' }],
  [{ path: 'testing/queues' }, { path: 'testing/sql' }],
  [{ path: 'testing/crashes/runtime', packages: ['node:module', 'node:timers/promises'] }],
  [{ path: 'testing/crashes/simulation' }],
  [{ path: 'testing/crashes/effects' }, { path: 'testing/crashes/cloud' }],
  [{ path: 'testing/crashes/schedule' }],
  [{ path: 'testing/crashes' }],
  [{ path: 'testing/registry', pure: true }],
  [{ path: 'testing' }],
  [{ path: 'testing/local/description', packages: 'any' }],
  [{ path: 'testing/local/sdk', packages: 'any' }],
  [{ path: 'testing/local/engines', packages: 'any' }],
  [{ path: 'testing/local/faults', packages: 'any' }],
  [{ path: 'testing/local/observe', packages: 'any' }],
  [{ path: 'testing/local/cloud', packages: 'any' }],
  [{ path: 'testing/local/mapping', packages: 'any' }],
  [{ path: 'testing/worker', packages: ['@aws-sdk/client-sqs'] }],
  [{ path: 'testing/local/dev', packages: 'any' }],
  [{ path: 'testing/local', packages: 'any' }],
  [{ path: 'tools', pure: true }],
  [{ path: 'tools/operator/text', pure: true }],
  [
    {
      path: 'tools/operator/aws',
      packages: ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs'],
    },
  ],
  [{ path: 'tools/commands', pure: true }],
  [{ path: 'tools/operator/item', pure: true }],
  [{ path: 'tools/operator/tasks' }],
  [{ path: 'tools/operator/log' }, { path: 'tools/operator/dlq' }],
  [{ path: 'tools/operator/explain', pure: true }],
  [{ path: 'tools/operator/plan' }],
  [{ path: 'tools/operator/pause', pure: true }],
  [{ path: 'tools/operator/audit' }],
  [{ path: 'tools/operator/forget' }],
  [
    {
      path: 'tools/operator/reconcile',
      packages: ['node:fs/promises', 'node:os', 'node:path'],
    },
  ],
  [{ path: 'tools/operator/status' }],
  [
    { path: 'tools/doctor', pure: true },
    {
      path: 'tools/doctor/account',
      packages: [
        '@aws-sdk/client-dynamodb',
        '@aws-sdk/client-lambda',
        '@aws-sdk/client-sns',
        '@aws-sdk/client-sqs',
      ],
    },
    {
      path: 'tools/doctor/input',
      packages: ['node:fs/promises', 'node:path', 'yaml'],
      pure: true,
    },
    { path: 'tools/doctor/rules', pure: true },
  ],
  [
    {
      path: 'tools/init',
      packages: ['node:fs', 'node:path'],
      pure: true,
    },
  ],
  // What the page knows of `lineclear dev`.
  [{ path: 'tools/console/dev/types.ts' }],
  [
    // For developers; from the package the bundled page is served.
    {
      path: 'tools/console/bundle.ts',
      packages: ['esbuild', 'node:fs/promises', 'node:path', 'node:url'],
    },
  ],
  [
    {
      path: 'tools/console',
      packages: [
        'node:events',
        'node:fs/promises',
        'node:http',
        'node:net',
        'node:timers/promises',
        'node:zlib',
      ],
    },
  ],
  // The page: it runs in a browser, and is bundled.
  [{ path: 'tools/console/app', packages: BROWSER }],
  [{ path: 'tools/console/app/parts', packages: BROWSER }],
  [{ path: 'tools/console/app/stream', packages: BROWSER }],
  [
    { path: 'tools/console/app/map', packages: [...BROWSER, '@dagrejs/dagre'] },
    { path: 'tools/console/app/dev', packages: BROWSER },
  ],
  [{ path: 'tools/console/app/tasks', packages: BROWSER }],
  [
    { path: 'tools/console/app/overview', packages: BROWSER },
    { path: 'tools/console/app/request', packages: BROWSER },
  ],
  [{ path: 'tools/console/app/pages', packages: BROWSER }],
  [{ path: 'tools/console/app/pages.ts' }],
  [{ path: 'tools/console/app/shell', packages: BROWSER }],
  [{ path: 'tools/console/app/main.tsx', packages: BROWSER }],
  // Runs on a developer's machine only.
  [{ path: 'tools/console/dev', packages: 'any' }],
  [
    {
      path: 'tools/cli',
      packages: [
        '@aws-sdk/client-dynamodb',
        '@aws-sdk/client-s3',
        'node:async_hooks',
        'node:child_process',
        'node:fs',
        'node:fs/promises',
        'node:os',
        'node:path',
        'node:stream',
        'node:util',
        'node:v8',
      ],
    },
    // Loads the module that the user names.
    { path: 'tools/cli/loadModule.ts', packages: ['(computed)', 'node:path', 'node:url'] },
  ],
  [
    {
      path: 'tools/cdk',
      packages: [
        'aws-cdk-lib',
        'aws-cdk-lib/aws-cloudwatch',
        'aws-cdk-lib/aws-cloudwatch-actions',
        'aws-cdk-lib/aws-dynamodb',
        'aws-cdk-lib/aws-events',
        'aws-cdk-lib/aws-events-targets',
        'aws-cdk-lib/aws-iam',
        'aws-cdk-lib/aws-lambda',
        'aws-cdk-lib/aws-lambda-nodejs',
        'aws-cdk-lib/aws-logs',
        'aws-cdk-lib/aws-sns',
        'aws-cdk-lib/aws-sns-subscriptions',
        'aws-cdk-lib/aws-sqs',
        'constructs',
        'node:url',
      ],
    },
    // Runs in Lambda: it loads nothing of the CDK.
    { path: 'tools/cdk/sweeperFunction.ts', packages: ['@aws-sdk/client-lambda'] },
  ],
  [{ path: 'tools/package', packages: 'any' }],
]

/** Computations of Node.js, which every room may load. */
export const EVERYWHERE: readonly string[] = [
  'node:buffer',
  'node:crypto',
  'node:string_decoder',
  // Loading `node:util` itself takes two milliseconds of a cold start.
  'node:util/types',
  'node:zlib',
]

/** Rooms that read the machine's clock, as does a file that begins with `@acts, and reads the clock`; everyone else is handed a `Clock`. */
export const CLOCK_READERS: readonly string[] = [
  'testing/local',
  // A browser has a clock of its own.
  'tools/console/app',
]
