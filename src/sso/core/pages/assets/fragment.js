// Links in mails carry their token behind the #, which no server and no Referer ever sees. The form takes it over.
const form = document.querySelector('form[data-takes-fragment]')
const token = new URLSearchParams(location.hash.slice(1)).get('token')
if (form && token) {
  form.elements.token.value = token
  form.querySelector('[data-token-field]').hidden = true
  history.replaceState(null, '', location.pathname + location.search)
}
