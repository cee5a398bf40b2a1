/** A process that starts an engine, says where, and never stops it. */
import { startLocalCloud } from 'lineclear/local'

const cloud = await startLocalCloud({ tables: { items: { hash: 'id' } } })
console.log(cloud.endpoints.dynamodb)
