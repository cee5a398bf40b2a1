const { tableDefinition } = require('lineclear/dynamodb')
const { startLocalCloud } = require('lineclear/local')

// jest runs it outside the tests, which cannot load an ES module such as fauxqs.
module.exports = async () => {
  globalThis.cloud = await startLocalCloud({
    queues: { numbers: { visibilityTimeout: 3 } },
    tables: { lineclear: tableDefinition(), counts: { hash: 'id' } },
  })
  Object.assign(process.env, globalThis.cloud.environment)
}
