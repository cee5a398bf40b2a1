module.exports = () => globalThis.cloud.stop()
