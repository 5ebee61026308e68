<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!--
  DIM and files to EPrints XML (EP3). What the source has under ep:eprint are the item's fields of schema eprints, with compound
  values as elements. Parameters: id (the URI of the eprint), eprintid, rev_number, eprint_status, userid, datestamp, lastmod,
  status_changed, each left out when empty.
-->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:ep="http://eprints.org/ep2/data/2.0" xmlns="http://eprints.org/ep2/data/2.0" exclude-result-prefixes="dim ep">
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>
  <xsl:param name="id"/>
  <xsl:param name="eprintid"/>
  <xsl:param name="rev_number"/>
  <xsl:param name="eprint_status"/>
  <xsl:param name="userid"/>
  <xsl:param name="datestamp"/>
  <xsl:param name="lastmod"/>
  <xsl:param name="status_changed"/>

  <!-- DSpace's words for types come out as well; the first entry of a word is the one that is used. -->
  <xsl:variable name="types" select="concat(';Article=article;Book Section=book_section;Monograph=monograph;Conference or Workshop Item=conference_item;',
    'Book=book;Thesis=thesis;Patent=patent;Artefact=artefact;Show/Exhibition=exhibition;Composition=composition;Performance=performance;',
    'Image=image;Video=video;Audio=audio;Dataset=dataset;Experiment=experiment;Teaching Resource=teaching_resource;Other=other;',
    'Journal Article=article;Book chapter=book_section;Book Item=book_section;Conference Item=conference_item;Conference Paper=conference_item;',
    'Conference Poster=conference_item;Technical Report=monograph;Working Paper=monograph;Report=monograph;Preprint=article;',
    'Learning Object=teaching_resource;')"/>

  <xsl:key name="person" match="ep:eprint/ep:creators/ep:item | ep:eprint/ep:editors/ep:item"
    use="concat(local-name(..), '|', ep:name/ep:family, substring(', ', 1 div boolean(string(ep:name/ep:family) and string(ep:name/ep:given))), ep:name/ep:given)"/>
  <xsl:key name="name" match="dim:field[@element = 'contributor']" use="concat(@qualifier, '|', .)"/>
  <xsl:key name="document" match="/dim:dim/file" use="@document"/>

  <xsl:template match="/dim:dim">
    <xsl:variable name="dc" select="dim:field[@mdschema = 'dc']"/>
    <xsl:variable name="kept" select="ep:eprint/ep:*"/>
    <eprints>
      <eprint>
        <xsl:if test="$id != ''"><xsl:attribute name="id"><xsl:value-of select="$id"/></xsl:attribute></xsl:if>
        <xsl:call-template name="field"><xsl:with-param name="name">eprintid</xsl:with-param><xsl:with-param name="value" select="$eprintid"/></xsl:call-template>
        <xsl:call-template name="field"><xsl:with-param name="name">rev_number</xsl:with-param><xsl:with-param name="value" select="$rev_number"/></xsl:call-template>
        <xsl:if test="file"><documents><xsl:apply-templates select="file[generate-id() = generate-id(key('document', @document)[1])]"/></documents></xsl:if>
        <xsl:call-template name="field"><xsl:with-param name="name">eprint_status</xsl:with-param><xsl:with-param name="value" select="$eprint_status"/></xsl:call-template>
        <xsl:call-template name="field"><xsl:with-param name="name">userid</xsl:with-param><xsl:with-param name="value" select="$userid"/></xsl:call-template>
        <xsl:if test="not($kept[self::ep:datestamp])">
          <xsl:call-template name="field"><xsl:with-param name="name">datestamp</xsl:with-param><xsl:with-param name="value" select="$datestamp"/></xsl:call-template>
        </xsl:if>
        <xsl:call-template name="field"><xsl:with-param name="name">lastmod</xsl:with-param><xsl:with-param name="value" select="$lastmod"/></xsl:call-template>
        <xsl:if test="not($kept[self::ep:status_changed])">
          <xsl:call-template name="field"><xsl:with-param name="name">status_changed</xsl:with-param><xsl:with-param name="value" select="$status_changed"/></xsl:call-template>
        </xsl:if>
        <xsl:apply-templates select="$dc[@element = 'type'][not(@qualifier)][1]" mode="type"/>
        <xsl:call-template name="persons">
          <xsl:with-param name="list">creators</xsl:with-param><xsl:with-param name="names" select="$dc[@element = 'contributor'][@qualifier = 'author']"/>
        </xsl:call-template>
        <xsl:call-template name="list"><xsl:with-param name="name">corp_creators</xsl:with-param><xsl:with-param name="values" select="$dc[@element = 'creator']"/></xsl:call-template>
        <xsl:call-template name="persons">
          <xsl:with-param name="list">editors</xsl:with-param><xsl:with-param name="names" select="$dc[@element = 'contributor'][@qualifier = 'editor']"/>
        </xsl:call-template>
        <xsl:call-template name="lingual">
          <xsl:with-param name="name">title</xsl:with-param><xsl:with-param name="values" select="$dc[@element = 'title'][not(@qualifier)][1]"/>
          <xsl:with-param name="kept" select="$kept[self::ep:title]"/>
        </xsl:call-template>
        <xsl:call-template name="list"><xsl:with-param name="name">subjects</xsl:with-param><xsl:with-param name="values" select="$dc[@element = 'subject'][@qualifier = 'classification']"/></xsl:call-template>
        <xsl:call-template name="joined"><xsl:with-param name="name">keywords</xsl:with-param><xsl:with-param name="values" select="$dc[@element = 'subject'][not(@qualifier)]"/><xsl:with-param name="between">, </xsl:with-param></xsl:call-template>
        <xsl:call-template name="joined"><xsl:with-param name="name">note</xsl:with-param><xsl:with-param name="values" select="$dc[@element = 'description'][not(@qualifier)]"/><xsl:with-param name="between"><xsl:text> </xsl:text></xsl:with-param></xsl:call-template>
        <xsl:call-template name="lingual">
          <xsl:with-param name="name">abstract</xsl:with-param><xsl:with-param name="values" select="$dc[@element = 'description'][@qualifier = 'abstract']"/>
          <xsl:with-param name="kept" select="$kept[self::ep:abstract]"/>
        </xsl:call-template>
        <xsl:call-template name="date"><xsl:with-param name="dc" select="$dc"/><xsl:with-param name="kept" select="$kept"/></xsl:call-template>
        <xsl:call-template name="field"><xsl:with-param name="name">publisher</xsl:with-param><xsl:with-param name="value" select="$dc[@element = 'publisher']"/></xsl:call-template>
        <xsl:call-template name="field"><xsl:with-param name="name">publication</xsl:with-param><xsl:with-param name="value" select="$dc[@element = 'relation'][@qualifier = 'ispartof']"/></xsl:call-template>
        <xsl:call-template name="field"><xsl:with-param name="name">official_url</xsl:with-param><xsl:with-param name="value" select="$dc[@element = 'relation'][@qualifier = 'uri']"/></xsl:call-template>
        <xsl:call-template name="field"><xsl:with-param name="name">issn</xsl:with-param><xsl:with-param name="value" select="$dc[@element = 'identifier'][@qualifier = 'issn']"/></xsl:call-template>
        <xsl:call-template name="field"><xsl:with-param name="name">isbn</xsl:with-param><xsl:with-param name="value" select="$dc[@element = 'identifier'][@qualifier = 'isbn']"/></xsl:call-template>
        <xsl:call-template name="field"><xsl:with-param name="name">id_number</xsl:with-param><xsl:with-param name="value" select="$dc[@element = 'identifier'][@qualifier = 'doi' or @qualifier = 'other']"/></xsl:call-template>
        <xsl:apply-templates select="$kept[not(self::ep:creators or self::ep:editors or self::ep:date or self::ep:title or self::ep:abstract)]" mode="copy"/>
      </eprint>
    </eprints>
  </xsl:template>

  <!-- The first of the values, or nothing. -->
  <xsl:template name="field">
    <xsl:param name="name"/>
    <xsl:param name="value"/>
    <xsl:if test="string($value) != ''"><xsl:element name="{$name}"><xsl:value-of select="$value"/></xsl:element></xsl:if>
  </xsl:template>

  <xsl:template name="list">
    <xsl:param name="name"/>
    <xsl:param name="values"/>
    <xsl:if test="$values"><xsl:element name="{$name}"><xsl:for-each select="$values"><item><xsl:value-of select="."/></item></xsl:for-each></xsl:element></xsl:if>
  </xsl:template>

  <xsl:template name="joined">
    <xsl:param name="name"/>
    <xsl:param name="values"/>
    <xsl:param name="between"/>
    <xsl:if test="$values">
      <xsl:element name="{$name}">
        <xsl:for-each select="$values"><xsl:if test="position() > 1"><xsl:value-of select="$between"/></xsl:if><xsl:value-of select="."/></xsl:for-each>
      </xsl:element>
    </xsl:if>
  </xsl:template>

  <!-- What is kept of several languages, while its first is what Dublin Core says. -->
  <xsl:template name="lingual">
    <xsl:param name="name"/>
    <xsl:param name="values"/>
    <xsl:param name="kept"/>
    <xsl:variable name="same" select="$kept[(ep:item/ep:text | ep:item[not(*)])[1] = $values[1]]"/>
    <xsl:choose>
      <xsl:when test="$same"><xsl:apply-templates select="$same[1]" mode="copy"/></xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="joined">
          <xsl:with-param name="name" select="$name"/><xsl:with-param name="values" select="$values"/><xsl:with-param name="between"><xsl:text> </xsl:text></xsl:with-param>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- A word that is in no table is a site's own type when it looks like one. -->
  <xsl:template match="dim:field" mode="type">
    <xsl:variable name="entry" select="concat(';', ., '=')"/>
    <type>
      <xsl:choose>
        <xsl:when test="contains($types, $entry)"><xsl:value-of select="substring-before(substring-after($types, $entry), ';')"/></xsl:when>
        <xsl:when test="translate(., 'abcdefghijklmnopqrstuvwxyz0123456789_', '') = ''"><xsl:value-of select="."/></xsl:when>
        <xsl:otherwise>other</xsl:otherwise>
      </xsl:choose>
    </type>
  </xsl:template>

  <xsl:template name="date">
    <xsl:param name="dc"/>
    <xsl:param name="kept"/>
    <xsl:variable name="kind" select="string($kept[self::ep:date_type])"/>
    <xsl:choose>
      <xsl:when test="$kept[self::ep:date]"><xsl:apply-templates select="$kept[self::ep:date]" mode="copy"/></xsl:when>
      <xsl:when test="$kind = 'submitted'"><xsl:call-template name="field"><xsl:with-param name="name">date</xsl:with-param><xsl:with-param name="value" select="$dc[@element = 'date'][@qualifier = 'submitted']"/></xsl:call-template></xsl:when>
      <xsl:when test="$kind = 'completed'"><xsl:call-template name="field"><xsl:with-param name="name">date</xsl:with-param><xsl:with-param name="value" select="$dc[@element = 'date'][@qualifier = 'created']"/></xsl:call-template></xsl:when>
      <xsl:otherwise><xsl:call-template name="field"><xsl:with-param name="name">date</xsl:with-param><xsl:with-param name="value" select="$dc[@element = 'date'][@qualifier = 'issued']"/></xsl:call-template></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Each name of Dublin Core: with what is kept of that person, else split at its first comma. Namesakes are told apart by their order. -->
  <xsl:template name="persons">
    <xsl:param name="list"/>
    <xsl:param name="names"/>
    <xsl:variable name="nameless" select="key('person', concat($list, '|'))"/>
    <xsl:if test="$names or $nameless">
      <xsl:element name="{$list}">
        <xsl:for-each select="$names">
          <xsl:variable name="same" select="key('person', concat($list, '|', .))"/>
          <xsl:variable name="namesakes" select="key('name', concat(@qualifier, '|', .))"/>
          <!-- Counting grows with the square: past a hundred namesakes they are not told apart. -->
          <xsl:variable name="alone" select="count($namesakes) = 1 or count($namesakes) > 100"/>
          <item>
            <xsl:choose>
              <xsl:when test="$same and $alone"><xsl:apply-templates select="$same[1]/node()" mode="copy"/></xsl:when>
              <xsl:when test="$same and count($same) > count(preceding-sibling::dim:field[. = current()][@qualifier = current()/@qualifier][@element = 'contributor'])">
                <xsl:variable name="before" select="count(preceding-sibling::dim:field[. = current()][@qualifier = current()/@qualifier][@element = 'contributor'])"/>
                <xsl:apply-templates select="$same[position() = $before + 1]/node()" mode="copy"/>
              </xsl:when>
              <xsl:when test="contains(., ', ')">
                <name><family><xsl:value-of select="substring-before(., ', ')"/></family><given><xsl:value-of select="substring-after(., ', ')"/></given></name>
              </xsl:when>
              <xsl:otherwise><name><family><xsl:value-of select="."/></family></name></xsl:otherwise>
            </xsl:choose>
          </item>
        </xsl:for-each>
        <xsl:apply-templates select="$nameless" mode="copy"/>
      </xsl:element>
    </xsl:if>
  </xsl:template>

  <!-- Without the declarations that copy-of would bring along. -->
  <xsl:template match="ep:*" mode="copy">
    <xsl:element name="{local-name()}"><xsl:apply-templates mode="copy"/></xsl:element>
  </xsl:template>

  <xsl:template match="file">
    <document>
      <docid><xsl:value-of select="@document"/></docid>
      <pos><xsl:value-of select="@position"/></pos>
      <mime_type><xsl:value-of select="@media_type"/></mime_type>
      <format>
        <xsl:choose>
          <xsl:when test="starts-with(@media_type, 'image/')">image</xsl:when>
          <xsl:when test="starts-with(@media_type, 'video/')">video</xsl:when>
          <xsl:when test="starts-with(@media_type, 'audio/')">audio</xsl:when>
          <xsl:when test="starts-with(@media_type, 'text/') or @media_type = 'application/pdf'">text</xsl:when>
          <xsl:when test="@media_type = 'application/zip' or @media_type = 'application/x-tar' or @media_type = 'application/gzip'">archive</xsl:when>
          <xsl:otherwise>other</xsl:otherwise>
        </xsl:choose>
      </format>
      <xsl:if test="@description != ''"><formatdesc><xsl:value-of select="@description"/></formatdesc></xsl:if>
      <security><xsl:choose><xsl:when test="@security != ''"><xsl:value-of select="@security"/></xsl:when><xsl:otherwise>public</xsl:otherwise></xsl:choose></security>
      <main><xsl:value-of select="@name"/></main>
      <files>
        <xsl:for-each select="key('document', @document)">
          <file>
            <filename><xsl:value-of select="@name"/></filename>
            <mime_type><xsl:value-of select="@media_type"/></mime_type>
            <xsl:if test="@md5 != ''"><hash><xsl:value-of select="@md5"/></hash><hash_type>MD5</hash_type></xsl:if>
            <filesize><xsl:value-of select="@size"/></filesize>
            <url><xsl:value-of select="@url"/></url>
          </file>
        </xsl:for-each>
      </files>
    </document>
  </xsl:template>
</xsl:stylesheet>
