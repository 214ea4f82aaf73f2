# What `make install` and `make package` put where: the program, its shell completions, the documentation, and examples
# (manifests, Prometheus rules, the Grafana dashboard). The shipped manifests are part of the program; the files are for
# reading.
include(GNUInstallDirs)
install(TARGETS ingero DESTINATION ${CMAKE_INSTALL_BINDIR})

set(completions ${CMAKE_BINARY_DIR}/completions)
add_custom_command(
  OUTPUT ${completions}/ingero ${completions}/_ingero ${completions}/ingero.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${completions}
  COMMAND ingero completion bash > ${completions}/ingero
  COMMAND ingero completion zsh > ${completions}/_ingero
  COMMAND ingero completion fish > ${completions}/ingero.fish
  DEPENDS ingero
  VERBATIM)
add_custom_target(completions DEPENDS ${completions}/ingero ${completions}/_ingero ${completions}/ingero.fish)
install(FILES ${completions}/ingero DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completions}/_ingero DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${completions}/ingero.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(FILES README.md CHANGELOG.md SECURITY.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY backends/manifests deploy/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ingero)
set(CPACK_PACKAGE_CONTACT "the ingero developers <ingero@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "trace GPU programs of any vendor with eBPF, and explain why they are slow")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libcurl4)  # opened when something is sent (--otlp)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
