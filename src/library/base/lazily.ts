// @acts

/**
 * Makes a value on its first use, and keeps it. A failure is not kept, so the next use tries again. With `import(…)` as `make`, a
 * bundler that splits makes a file of its own of the module.
 */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    if (made === undefined) {
      made = make()
      made.catch(() => {
        made = undefined
      })
    }
    return made
  }
}

/**
 * One default client for the whole process: with one for each call, such as of a producer that is made inside a handler, a function
 * runs into Lambda's limit of 1,024 open files. The environment says whom the SDK calls, and a test may change it: then the next
 * client is another one.
 */
export function perEnvironment<Client, Sdk>(make: (sdk: Sdk) => Client): (sdk: Sdk) => Client {
  let last: { readonly environment: string; readonly client: Client } | undefined
  return (sdk) => {
    const environment = JSON.stringify(
      Object.entries(process.env).filter(([name]) => name.startsWith('AWS_')),
    )
    // @protects a process has one default client, whatever makes one inside a call
    // @without true @tests test/send/clients
    // @protects another environment has another client
    // @without last === undefined @tests test/send/clients
    if (last?.environment !== environment) last = { environment, client: make(sdk) }
    return last.client
  }
}
