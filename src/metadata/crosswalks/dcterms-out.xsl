<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- DIM to dcterms: elements, one after the other without a root, for Atom entries and deposit receipts. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    exclude-result-prefixes="dim">
  <xsl:include href="dc-elements.xsl"/>
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>

  <xsl:template match="/dim:dim"><xsl:apply-templates select="dim:field" mode="dcterms"/></xsl:template>
</xsl:stylesheet>
